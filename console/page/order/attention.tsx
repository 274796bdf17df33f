import { needsOf, triedByItself } from "../../../operations/timeline/needs.ts";
import type { WholeTimeline } from "../../../operations/timeline/whole-timeline.ts";
import { Meaning } from "../parts/meaning.tsx";
import { localTime } from "../parts/time.tsx";
import { addressOf, Link } from "../router.tsx";

/** What is not right with the order now, at the top of its page. */
export function OrderAttention({ timeline }: { readonly timeline: WholeTimeline }) {
  const { entries, orderNo } = timeline;
  const needs = needsOf(entries, localTime);
  if (needs.length === 0) return null;
  const isBad = needs.some(({ isFinal }) => isFinal);
  return (
    <section class={`notice ${isBad ? "bad" : "open"}`} aria-label="What is wrong">
      <ul class="warnings">
        {needs.map(({ text }, at) => (
          <li key={at}>{text}</li>
        ))}
      </ul>
      {isBad ? (
        <p>
          <Link to={addressOf(["quarantine"], { order: orderNo })}>Redrive</Link>
          <Meaning of="redrive" />
        </p>
      ) : (
        <p>{triedByItself}</p>
      )}
    </section>
  );
}
