import type { QuarantinedItem } from "../../../operations/quarantine/quarantined-item.ts";
import { Outside } from "../parts/outside.tsx";
import { addressOf, Link } from "../router.tsx";

/** The order or payment that an item is about. */
export function About({ item }: { readonly item: QuarantinedItem }) {
  const { orderNo, paymentId } = item;
  if (orderNo !== undefined) {
    return (
      <Link to={addressOf(["orders", orderNo])}>
        <Outside text={orderNo} />
      </Link>
    );
  }
  if (paymentId === undefined) return <span class="quiet">not known</span>;
  return (
    <Link to={addressOf(["find"], { text: paymentId })}>
      payment <Outside text={paymentId} />
    </Link>
  );
}
