import { addressOf, Link } from "../router.tsx";

interface Amount {
  readonly value: string;
  readonly currency?: string;
}

export function Money({ amount }: { readonly amount: Amount | undefined }) {
  if (amount === undefined) return <span class="quiet">–</span>;
  return (
    <span class="number">
      {amount.value}
      {amount.currency !== undefined && <span class="currency"> {amount.currency}</span>}
    </span>
  );
}

interface OrderLinkProps {
  readonly orderNo: string;
  readonly merchantId: string;
}

/** The number is isolated, so that marks of direction in it turn nothing else around. */
export function OrderLink({ orderNo, merchantId }: OrderLinkProps) {
  return (
    <Link to={addressOf(["orders", orderNo], { merchant: merchantId })} class="order-link">
      <OrderNo text={orderNo} />
    </Link>
  );
}

export function OrderNo({ text }: { readonly text: string }) {
  return <bdi class="order-no">{text}</bdi>;
}
