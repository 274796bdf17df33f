import { durationText } from "../../../../shared/text/number-text.ts";
import type { SubscriberFlow } from "../../../operations/overview/read-flow.ts";
import { refusingText } from "../../../operations/overview/refusing.ts";
import type { LabView } from "../../routes/lab-routes.ts";
import { shortTime, useNow } from "../parts/time.tsx";
import { addressOf, Link } from "../router.tsx";
import { useStack, useView } from "../use-view.ts";

/** The event types that a subscriber receives. */
export function typeText(pattern: string): string {
  return pattern === "*" ? "every event" : pattern;
}

/** A queue's counts, for a row or a tile. A dash stands for a count that could not be read. */
export function numbersOf(subscriber: SubscriberFlow) {
  const { waiting, inFlight, oldestSeconds, deadLetters } = subscriber;
  const problem = subscriber.problem ?? deadLetters.problem;
  return {
    problem,
    waiting: problem === undefined ? waiting : "–",
    inFlight: problem === undefined ? inFlight : "–",
    oldest: oldestSeconds === undefined ? "–" : durationText(oldestSeconds),
    dead: deadLetters.waiting + deadLetters.inFlight,
  };
}

/** The events that a subscriber misses because its queue rejects them, with a link to them. */
export function Misses({ subscriber }: { readonly subscriber: SubscriberFlow }) {
  const { name, refusing } = subscriber;
  if (refusing === undefined) return null;
  const text = refusingText(refusing, shortTime);
  return (
    <p class="bad-text misses">
      <Link to={addressOf(["attention"], { subscriber: name })}>{text}</Link>
    </p>
  );
}

interface ReaderProps {
  readonly subscriber: SubscriberFlow;
  /** Adds how to read it. */
  readonly isLong?: boolean;
}

/** A worker with long polling asks again within 20 seconds, the maximum of SQS. */
const silentMilliseconds = 25_000;

/**
 * On the local stack, where no other team's code runs: says that a queue has no consumer. A queue that does not exist
 * or rejects events has another problem.
 */
export function NobodyReads({ subscriber, isLong = false }: ReaderProps) {
  const { name, isGone, refusing } = subscriber;
  const { data } = useView<LabView>(useStack().hasLab ? "/api/lab" : undefined);
  const now = useNow();
  const consumer = data?.consumers.find(({ subscriber }) => subscriber === name);
  if (consumer?.mode !== "nobody" || isGone || refusing !== undefined) return null;
  if (consumer.readAt !== undefined && now - Date.parse(consumer.readAt) < silentMilliseconds)
    return null;
  return (
    <span class="below open-text">
      No consumer reads this queue. <Link to="/lab">Start a consumer</Link>
      {isLong && (
        <>
          {" "}
          in the Lab, or run your own worker: see <code>examples/node-worker/README.md</code>.
        </>
      )}
    </span>
  );
}
