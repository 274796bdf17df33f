import type { SubscriberFlow } from "../../../operations/overview/read-flow.ts";
import { refusingText } from "../../../operations/overview/refusing.ts";
import { shortTime } from "../parts/time.tsx";
import { addressOf, Link } from "../router.tsx";

/** What a subscriber misses because its queue refuses it, with the way to these events. */
export function Misses({ subscriber }: { readonly subscriber: SubscriberFlow }) {
  const { name, refusing } = subscriber;
  if (refusing === undefined) return null;
  const text = refusingText(refusing, shortTime);
  return (
    <p class="bad-text misses">
      <Link to={addressOf(["quarantine"], { subscriber: name })}>{text}</Link>
    </p>
  );
}
