import type { OrderList } from "../../../operations/orders/orders.ts";
import type { Flow, QueueFlow } from "../../../operations/overview/read-flow.ts";
import type { StackView } from "../../routes/stack-routes.ts";
import { Meaning } from "../parts/meaning.tsx";
import { RangePicker, rangeOf } from "../parts/range-picker.tsx";
import { Oldest, Stage, StageNumber } from "../parts/stage.tsx";
import { Shown } from "../parts/states.tsx";
import { addressOf, Link } from "../router.tsx";
import { useView } from "../use-view.ts";
import type { ViewProps } from "../view-props.ts";
import { FlowSubscribers } from "./flow-subscribers.tsx";
import { findWarnings, type Warning } from "./flow-warnings.ts";
import { LatestOrders } from "./latest-orders.tsx";

/** The way of a callback, from left to right, with what is on it now. */
export function FlowView({ stack, place }: ViewProps) {
  const flow = useView<Flow>(addressOf(["api", "flow"], { range: rangeOf(place) }));
  const latest = useView<OrderList>("/api/orders?limit=8");
  const isUnused = stack.hasLab && latest.data?.orders.length === 0;
  return (
    <>
      <h1>Flow</h1>
      <p class="lead">
        What happened in the chosen time, and what waits now. Callbacks go to{" "}
        <code>{stack.callbackUrl}</code>
      </p>
      <Shown view={flow} what="the flow">
        {(data) => (
          <>
            <Warnings warnings={findWarnings(data, stack)} isUnused={isUnused} />
            <RangePicker place={place} />
            <Pipeline flow={data} stack={stack} />
          </>
        )}
      </Shown>
      <LatestOrders list={latest} stack={stack} />
    </>
  );
}

interface WarningsProps {
  readonly warnings: readonly Warning[];
  /** Nobody has made an order yet on this local stack. */
  readonly isUnused: boolean;
}

function Warnings({ warnings, isUnused }: WarningsProps) {
  if (warnings.length === 0) {
    return isUnused ? (
      <FirstSteps />
    ) : (
      <p class="notice good" role="status">
        Nothing is wrong.
      </p>
    );
  }
  return (
    <ul class="notice bad warnings" aria-label="What is wrong">
      {warnings.map(({ message, word, fix }) => (
        <li key={message}>
          <span>{message}</span> {word && <Meaning of={word} />}{" "}
          {fix && <Link to={fix.to}>{fix.action}</Link>}
        </li>
      ))}
    </ul>
  );
}

function FirstSteps() {
  return (
    <p class="notice plain" role="status">
      <strong>Nothing has happened yet.</strong> <Link to="/tour">Take the tour</Link>: six
      scenarios, one click each. Or <Link to="/lab">make an order</Link>, pay it, and watch it here.
    </p>
  );
}

function Pipeline({ flow, stack }: { readonly flow: Flow; readonly stack: StackView }) {
  const { charts: counts, inbox, attention, subscribers } = flow;
  const { waiting = 0, undeliverable = 0, quarantined = 0 } = attention ?? {};
  const aside = quarantined + undeliverable;
  return (
    <div class="pipeline">
      <div class="column">
        <Stage title="Callbacks in" counts={counts?.accepted} unit="accepted">
          <StageNumber value={counts?.notStored.total} label="answered 503" tone="bad" />
        </Stage>
        <Stage title="Refused" counts={counts?.refused} unit="refused" isBranch isBad>
          <p class="quiet">Not authentic, or not a callback at all.</p>
        </Stage>
      </div>
      <div class="column">
        <QueueStage title="Inbox" queue={inbox} />
      </div>
      <div class="column">
        <Stage title="Processed" counts={counts?.published} unit="events published">
          <StageNumber value={counts?.known.total} label="with nothing new" />
          <StageNumber
            value={counts?.givenBack.total}
            label="failed for now, tried again"
            tone="open"
          />
        </Stage>
        <Stage
          title="Quarantine"
          word="quarantine"
          number={aside}
          unit="to look at"
          isBranch
          isBad={aside > 0}
        >
          <StageNumber value={quarantined} label="not understood" tone="bad" />
          <StageNumber value={undeliverable} label="given up" tone="bad" />
          <StageNumber value={waiting} label="waiting for a subscriber" tone="open" />
          {aside + waiting > 0 && <Link to="/quarantine">Look at it</Link>}
        </Stage>
      </div>
      <FlowSubscribers subscribers={subscribers} stack={stack} />
    </div>
  );
}

function QueueStage({ title, queue }: { readonly title: string; readonly queue: QueueFlow }) {
  return (
    <Stage title={title} number={queue.waiting + queue.inFlight} unit="waiting">
      {queue.problem !== undefined && <p class="bad-text">{queue.problem}</p>}
      <StageNumber value={queue.inFlight} label="in progress" />
      <Oldest seconds={queue.oldestSeconds} />
    </Stage>
  );
}
