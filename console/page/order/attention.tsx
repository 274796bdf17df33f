import type { ComponentChildren } from "preact";
import { deliveryText } from "../../../operations/timeline/delivery.ts";
import type { ReceiptEntry } from "../../../operations/timeline/receipt-entry.ts";
import type { WholeTimeline } from "../../../operations/timeline/whole-timeline.ts";
import { Meaning } from "../parts/meaning.tsx";
import { localTime } from "../parts/time.tsx";
import { addressOf, Link } from "../router.tsx";

/** What is not right with the order now: who has not got an event, since when and why, and what nobody understood. */
export function OrderAttention({ timeline }: { readonly timeline: WholeTimeline }) {
  const { entries, orderNo } = timeline;
  const receipts = entries.filter((entry) => entry.kind === "receipt");
  const needs = receipts.flatMap((receipt) => [...undelivered(receipt), ...misunderstood(receipt)]);
  if (needs.length === 0) return null;
  const isBad = needs.some(({ isFinal }) => isFinal);
  return (
    <section class={`notice ${isBad ? "bad" : "open"}`} aria-label="What is wrong">
      <ul class="warnings">
        {needs.map(({ text }, at) => (
          <li key={at}>{text}</li>
        ))}
      </ul>
      <p>
        <Link to={addressOf(["quarantine"], { order: orderNo })}>Redrive</Link>
        <Meaning of="redrive" />
      </p>
    </section>
  );
}

interface Need {
  readonly text: ComponentChildren;
  /** Paycast does not try it any more. */
  readonly isFinal: boolean;
}

/** A delivery that nobody has tried yet is on its way. */
function undelivered({ published, type }: ReceiptEntry): Need[] {
  const stuck = published?.deliveries.filter(({ errorName }) => errorName !== undefined) ?? [];
  return stuck.map((delivery) => ({
    isFinal: delivery.state === "given-up",
    text: (
      <>
        <strong>{delivery.subscriber}</strong> has not got {type}:{" "}
        {deliveryText(delivery, localTime)}.
      </>
    ),
  }));
}

function misunderstood({ quarantined }: ReceiptEntry): Need[] {
  if (quarantined?.since === undefined) return [];
  const { reason, since } = quarantined;
  const text = `A callback could not be understood since ${localTime(since)}: ${reason}.`;
  return [{ isFinal: true, text }];
}
