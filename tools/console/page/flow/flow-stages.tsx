import type { ComponentChildren } from "preact";
import { durationText } from "../../../../shared/text/number-text.ts";
import {
  deadLettersOf,
  type FlowNumber,
  type FlowStage,
  isTroubled,
  lateText,
} from "../../../operations/overview/flow-stages.ts";
import type { SubscriberFlow } from "../../../operations/overview/read-flow.ts";
import { Meaning } from "../parts/meaning.tsx";
import { ShortTime, shortTime } from "../parts/time.tsx";
import { addressOf, Link } from "../router.tsx";
import { Misses } from "../subscriber/subscriber-parts.tsx";
import { Chart } from "./chart.tsx";

interface FlowStageBoxProps {
  readonly stage: FlowStage;
  /** A branch of the main path, or a strip beside it over the full width. */
  readonly shape?: "branch" | "strip";
  readonly children?: ComponentChildren;
}

/** One stage of the flow. */
export function FlowStageBox({ stage, shape, children }: FlowStageBoxProps) {
  const { title, word, main, chart, more, notes = [] } = stage;
  const tone = main.tone === "bad" ? "bad" : "plain";
  const isTroubled = more.some(({ tone: own, value = 0 }) => own === "bad" && value > 0);
  return (
    <section class={`stage ${shape ?? ""} ${tone} ${isTroubled ? "troubled" : ""}`}>
      <h2>
        {title}
        {word && <Meaning of={word} />}
      </h2>
      <p class="stage-number">
        <Listed number={main}>
          <strong>{main.value ?? "–"}</strong> {main.label}
        </Listed>
        <Last number={main} />
      </p>
      {chart && <Chart counted={chart} unit={main.label} tone={tone} />}
      <div class="stage-more">
        {more.map((number) => (
          <StageNumber key={number.label} number={number} />
        ))}
        {notes.map(({ text, at, to, isQuiet }) => (
          <p key={text} class={isQuiet ? "quiet" : "quiet bad-text"}>
            {text} {at && <ShortTime at={at} />}
            {to && <Link to={to}>Cause and fix</Link>}
          </p>
        ))}
        {children}
      </div>
    </section>
  );
}

/** A secondary number, hidden while it is zero. */
function StageNumber({ number }: { readonly number: FlowNumber }) {
  const { value = 0, label, word, tone } = number;
  if (value === 0) return null;
  return (
    <p class={`quiet ${tone === "plain" ? "" : `${tone}-text`}`}>
      <Listed number={number}>
        {value} {label}
      </Listed>
      {word && <Meaning of={word} />}
      <Last number={number} />
    </p>
  );
}

interface ListedProps {
  readonly number: FlowNumber;
  readonly children: ComponentChildren;
}

/** A number that links to its list, if there is one. */
function Listed({ number: { to }, children }: ListedProps) {
  return to === undefined ? children : <Link to={to}>{children}</Link>;
}

function Last({ number: { last, value = 0 } }: { readonly number: FlowNumber }) {
  if (last === undefined || value === 0) return null;
  return (
    <>
      , last <ShortTime at={last} />
    </>
  );
}

/** The age of the oldest message in a queue, if there is one. */
export function Oldest({ seconds }: { readonly seconds: number | undefined }) {
  return seconds === undefined ? null : <p class="quiet">oldest {durationText(seconds)}</p>;
}

/** With more cards, a subscriber with a problem is hard to spot. */
const mostCards = 6;

interface FlowSubscribersProps {
  readonly subscribers: readonly SubscriberFlow[];
}

/**
 * A card per subscriber. If there are many: a card per subscriber with a problem, and a line for each of the others.
 */
export function FlowSubscribers({ subscribers }: FlowSubscribersProps) {
  const areMany = subscribers.length > mostCards;
  const cards = areMany ? subscribers.filter(isTroubled) : subscribers;
  const others = areMany ? subscribers.filter((subscriber) => !isTroubled(subscriber)) : [];
  return (
    <ul class="column subscribers" aria-label="Subscribers">
      {cards.map((subscriber) => (
        <SubscriberCard
          key={subscriber.name}
          subscriber={subscriber}
          isBad={isTroubled(subscriber)}
        />
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
  const late = lateText(subscriber, shortTime);
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
      {late === undefined ? <Oldest seconds={oldestSeconds} /> : <p class="bad-text">{late}</p>}
      <StageNumber number={deadLettersOf(name, deadLetters)} />
      <Misses subscriber={subscriber} />
    </li>
  );
}

interface SubscriberLinesProps {
  readonly subscribers: readonly SubscriberFlow[];
  /** No subscriber has a problem. */
  readonly areAll: boolean;
}

function SubscriberLines({ subscribers, areAll }: SubscriberLinesProps) {
  const title = areAll ? `${subscribers.length} subscribers` : `${subscribers.length} others`;
  return (
    <li class="stage compact">
      <h2>{title}, in the queue now</h2>
      <ul class="subscriber-lines" aria-label={`${title} without problems`}>
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
