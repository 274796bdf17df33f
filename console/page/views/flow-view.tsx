import type { OrderList } from "../../../operations/orders/orders.ts";
import { flowStages } from "../../../operations/overview/flow-stages.ts";
import { findWarnings } from "../../../operations/overview/flow-warnings.ts";
import type { Flow } from "../../../operations/overview/read-flow.ts";
import type { Told, Warning } from "../../../operations/overview/warning.ts";
import { FlowStageBox, Oldest } from "../parts/flow-stage.tsx";
import { Meaning } from "../parts/meaning.tsx";
import { Outside } from "../parts/outside.tsx";
import { RangePicker, rangeOf } from "../parts/range-picker.tsx";
import { Shown } from "../parts/states.tsx";
import { addressOf, Link } from "../router.tsx";
import { useView } from "../use-view.ts";
import type { ViewProps } from "../view-props.ts";
import { FlowSubscribers } from "./flow-subscribers.tsx";
import { LatestOrders } from "./latest-orders.tsx";
import { toldOn } from "./told.ts";

/** The way of a callback, from left to right, with what is on it now. */
export function FlowView({ stack, place }: ViewProps) {
  const flow = useView<Flow>(addressOf(["api", "flow"], { range: rangeOf(place) }));
  const latest = useView<Pick<OrderList, "orders">>("/api/latest-orders");
  const isUnused = stack.hasLab && latest.data?.orders.length === 0;
  const told = toldOn(stack);
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
            <Warnings warnings={findWarnings(data, told)} isUnused={isUnused} />
            <RangePicker place={place} />
            <Pipeline flow={data} told={told} />
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
  const red = warnings.filter(({ isRed }) => isRed);
  const over = warnings.filter(({ isRed }) => !isRed);
  if (warnings.length === 0 && isUnused) return <FirstSteps />;
  return (
    <>
      {red.length > 0 ? (
        <WarningList warnings={red} tone="bad" label="What is wrong" />
      ) : (
        <p class="notice good" role="status">
          Nothing is wrong.
        </p>
      )}
      {over.length > 0 && (
        <WarningList warnings={over} tone="plain" label="Earlier in the last hour" />
      )}
    </>
  );
}

interface WarningListProps {
  readonly warnings: readonly Warning[];
  readonly tone: "bad" | "plain";
  readonly label: string;
}

function WarningList({ warnings, tone, label }: WarningListProps) {
  return (
    <ul class={`notice ${tone} warnings`} aria-label={label}>
      {warnings.map(({ message, word, look }) => (
        <li key={message}>
          <span>{message}</span> {word && <Meaning of={word} />}{" "}
          {look && <Link to={look.to}>{look.action}</Link>}
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

function Pipeline({ flow, told }: { readonly flow: Flow; readonly told: Told }) {
  const stages = flowStages(flow, told.nowMilliseconds);
  const { hasStorefront, lastRefusal, inbox } = flow;
  return (
    <>
      {hasStorefront && (
        <FlowStageBox stage={stages.storefront} shape="strip">
          {lastRefusal !== undefined && (
            <p class="quiet">
              The service said: <Outside text={lastRefusal} />
            </p>
          )}
        </FlowStageBox>
      )}
      <div class="pipeline">
        <div class="column">
          <FlowStageBox stage={stages.callbacks} />
          <FlowStageBox stage={stages.refused} shape="branch">
            <p class="quiet">Not authentic, or not a callback at all.</p>
          </FlowStageBox>
        </div>
        <div class="column">
          <FlowStageBox stage={stages.inbox}>
            {inbox.problem !== undefined && <p class="bad-text">{inbox.problem}</p>}
            <Oldest seconds={inbox.oldestSeconds} />
          </FlowStageBox>
        </div>
        <div class="column">
          <FlowStageBox stage={stages.processed} />
          <FlowStageBox stage={stages.quarantine} shape="branch" />
        </div>
        <FlowSubscribers subscribers={flow.subscribers} told={told} />
      </div>
    </>
  );
}
