import { durationText } from "../../../../shared/number-text.ts";
import type { SubscriberFlow } from "../../../operations/overview/read-flow.ts";
import { refusingText } from "../../../operations/overview/refusing.ts";
import type { LabView } from "../../routes/lab-routes.ts";
import { shortTime, useNow } from "../parts/time.tsx";
import { addressOf, Link } from "../router.tsx";
import { useStack, useView } from "../use-view.ts";

/** The events that a subscriber gets. */
export function typeText(pattern: string): string {
  return pattern === "*" ? "every event" : pattern;
}

/** What a queue holds, for a row or a tile. What cannot be read is a dash. */
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

/** What a subscriber misses because its queue refuses it, with the way to these events. */
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
  /** Says how to read it, too. */
  readonly isLong?: boolean;
}

/** A worker that waits for messages asks again within 20 seconds, the longest that SQS lets it wait. */
const silentMilliseconds = 25_000;

/**
 * On the local stack, where no other team's code runs, that nobody reads a queue. A queue that does not exist, or that
 * refuses events, has another problem.
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
      Nobody reads this queue. <Link to="/lab">Let a consumer read it</Link>
      {isLong && (
        <>
          {" "}
          in the Lab, or run a worker of your own: <code>examples/node-worker/README.md</code> shows
          one.
        </>
      )}
    </span>
  );
}
