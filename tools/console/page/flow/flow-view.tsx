import type { OrderList } from "../../../operations/orders/orders.ts";
import { flowStages } from "../../../operations/overview/flow-stages.ts";
import type { Flow } from "../../../operations/overview/read-flow.ts";
import { type RangeName, rangeNames } from "../../../operations/ports/metrics.ts";
import { Outside } from "../parts/elements.tsx";
import { Empty, InLab, Shown } from "../parts/states.tsx";
import { OrderTable } from "../parts/table.tsx";
import { addressOf, Link, usePlace } from "../router.tsx";
import { stackNow } from "../stack-time.ts";
import { useStack, useView, type View } from "../use-view.ts";
import { LatestChanges } from "./changes.tsx";
import { FlowStageBox, FlowSubscribers, Oldest } from "./flow-stages.tsx";
import { WhatIsWrong } from "./what-is-wrong.tsx";

/** The path of a callback from left to right, with current counts. */
export function FlowView() {
  const stack = useStack();
  const range = useRange();
  const flow = useView<Flow>(addressOf(["api", "flow"], { range }));
  const latest = useView<Pick<OrderList, "orders">>("/api/latest-orders");
  const isUnused = stack.hasLab && latest.data?.orders.length === 0;
  return (
    <>
      <h1>Flow</h1>
      <p class="lead">
        What happened in the selected range, and what is waiting now. The payment service posts
        callbacks to <code>{stack.callbackUrl}</code>
      </p>
      <Shown view={flow} what="the flow">
        {(data) => (
          <>
            <WhatIsWrong flow={data} isUnused={isUnused} />
            <LatestChanges flow={data} />
            <RangePicker chosen={range} />
            <Pipeline flow={data} />
          </>
        )}
      </Shown>
      <LatestOrders list={latest} />
    </>
  );
}

function Pipeline({ flow }: { readonly flow: Flow }) {
  const stages = flowStages(flow, stackNow());
  const { hasStorefront, lastRefusal, inbox } = flow;
  return (
    <>
      {hasStorefront && (
        <FlowStageBox stage={stages.storefront} shape="strip">
          {lastRefusal !== undefined && (
            <p class="quiet">
              The payment service returned: <Outside text={lastRefusal} />
            </p>
          )}
        </FlowStageBox>
      )}
      <div class="pipeline">
        <div class="column">
          <FlowStageBox stage={stages.callbacks} />
          <FlowStageBox stage={stages.refused} shape="branch">
            <p class="quiet">Not authentic, or not a callback.</p>
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
          <FlowStageBox stage={stages.attention} shape="branch" />
        </div>
        <FlowSubscribers subscribers={flow.subscribers} />
      </div>
    </>
  );
}

const titles: Readonly<Record<RangeName, string>> = {
  "15m": "15 minutes",
  "1h": "hour",
  "1d": "day",
  "7d": "week",
};

/** The range in the URL. */
function useRange(): RangeName {
  const { range } = usePlace().query;
  return rangeNames.find((name) => name === range) ?? "1h";
}

/** The ranges to choose from. The URL holds the selection. */
function RangePicker({ chosen }: { readonly chosen: RangeName }) {
  return (
    <nav class="ranges" aria-label="Range of the charts">
      {rangeNames.map((name) => (
        <Link
          key={name}
          to={addressOf([], { range: name === "1h" ? undefined : name })}
          current={name === chosen}
        >
          {titles[name]}
        </Link>
      ))}
    </nav>
  );
}

/** The newest orders, below the flow. */
function LatestOrders({ list }: { readonly list: View<Pick<OrderList, "orders">> }) {
  return (
    <section class="card latest">
      <div class="line">
        <h2>Latest orders</h2>
        <Link to="/orders" class="push">
          All orders
        </Link>
      </div>
      <Shown view={list} what="the latest orders">
        {({ orders }) =>
          orders.length === 0 ? (
            <Empty title="No orders in the last two days.">
              <InLab>Create and pay one:</InLab>
            </Empty>
          ) : (
            <OrderTable orders={orders} />
          )
        }
      </Shown>
    </section>
  );
}
