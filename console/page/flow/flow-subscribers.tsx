import { deadLettersOf } from "../../../operations/overview/flow-stages.ts";
import { subscriberWarnings } from "../../../operations/overview/flow-warnings.ts";
import type { SubscriberFlow } from "../../../operations/overview/read-flow.ts";
import type { Told } from "../../../operations/overview/warning.ts";
import type { StackView } from "../../routes/stack-routes.ts";
import { shortTime } from "../parts/time.tsx";
import { addressOf, Link } from "../router.tsx";
import { Misses } from "../subscriber/bits.tsx";
import { Oldest, StageNumber } from "./flow-stage.tsx";

/** More cards than this make the page long, and the trouble of one is lost among the others. */
const mostCards = 6;

interface FlowSubscribersProps {
  readonly subscribers: readonly SubscriberFlow[];
  readonly told: Told;
}

/** A card for each subscriber. If there are many: a card for each with trouble, and a line for each of the others. */
export function FlowSubscribers({ subscribers, told }: FlowSubscribersProps) {
  const isTroubled = (one: SubscriberFlow) => subscriberWarnings(one, told).length > 0;
  const areMany = subscribers.length > mostCards;
  const cards = areMany ? subscribers.filter(isTroubled) : subscribers;
  const others = areMany ? subscribers.filter((one) => !isTroubled(one)) : [];
  return (
    <ul class="column subscribers" aria-label="Subscribers">
      {cards.map((one) => (
        <SubscriberCard key={one.name} subscriber={one} isBad={isTroubled(one)} />
      ))}
      {others.length > 0 && <SubscriberLines subscribers={others} areAll={cards.length === 0} />}
    </ul>
  );
}

interface SubscriberCardProps {
  readonly subscriber: SubscriberFlow;
  readonly isBad: boolean;
}

function SubscriberCard({ subscriber, isBad }: SubscriberCardProps) {
  const { name, waiting, inFlight, deadLetters, problem, oldestSeconds } = subscriber;
  return (
    <li class={`stage compact ${isBad ? "bad" : ""}`}>
      <h2>
        <Link to={addressOf(["subscribers", name])}>{name}</Link>
      </h2>
      <p class="stage-number">
        <Link to={addressOf(["subscribers", name])}>
          <strong>{problem === undefined ? waiting + inFlight : "–"}</strong> in the queue
        </Link>
      </p>
      {problem !== undefined && <p class="bad-text">{problem}</p>}
      <Oldest seconds={oldestSeconds} />
      <StageNumber number={deadLettersOf(name, deadLetters)} />
      <Misses subscriber={subscriber} />
    </li>
  );
}

interface SubscriberLinesProps {
  readonly subscribers: readonly SubscriberFlow[];
  /** Nobody has trouble. */
  readonly areAll: boolean;
}

function SubscriberLines({ subscribers, areAll }: SubscriberLinesProps) {
  const title = areAll ? `${subscribers.length} subscribers` : `${subscribers.length} others`;
  return (
    <li class="stage compact">
      <h2>{title}, in the queue now</h2>
      <ul class="subscriber-lines" aria-label={`${title} without trouble`}>
        {subscribers.map(({ name, waiting, inFlight, oldestSeconds }) => (
          <li key={name}>
            <Link to={addressOf(["subscribers", name])}>{name}</Link>
            <Oldest seconds={oldestSeconds} />
            <strong>{waiting + inFlight}</strong>
          </li>
        ))}
      </ul>
    </li>
  );
}

/** How warnings are told on this page. */
export function toldOn({ kind }: StackView): Told {
  return {
    isDeployed: kind === "deployed",
    nowMilliseconds: Date.now(),
    timeText: shortTime,
  };
}
