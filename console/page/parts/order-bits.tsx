import { addressOf, Link } from "../router.tsx";

interface Amount {
  readonly value: string;
  readonly currency?: string | undefined;
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

/** Characters that cannot be seen, or that change the direction of others, are shown by their number. */
const unseen = /([\p{Cc}\p{Cf}\p{Zl}\p{Zp}])/u;

export function OrderNo({ text }: { readonly text: string }) {
  const pieces = text.split(unseen);
  return (
    <bdi class="order-no">
      {pieces.map((piece, index) =>
        index % 2 === 0 ? piece : <Unseen key={index} piece={piece} />,
      )}
    </bdi>
  );
}

function Unseen({ piece }: { readonly piece: string }) {
  const code = piece.codePointAt(0) ?? 0;
  return <span class="unseen">U+{code.toString(16).toUpperCase().padStart(4, "0")}</span>;
}
