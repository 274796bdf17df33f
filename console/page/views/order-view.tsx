import { useEffect, useState } from "preact/hooks";
import type { WholeTimeline } from "../../../operations/timeline/whole-timeline.ts";
import type { StackView } from "../../routes/stack-routes.ts";
import { OrderAttention } from "../order/attention.tsx";
import { CompareEvents } from "../order/compare-events.tsx";
import { OrderNo } from "../parts/order-bits.tsx";
import { Copy, Status } from "../parts/small.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { DateTime } from "../parts/time.tsx";
import { addressOf, go, Link } from "../router.tsx";
import { useView } from "../use-view.ts";
import type { ViewProps } from "../view-props.ts";
import { OrderSummary } from "./order-summary.tsx";
import { Timeline } from "./order-timeline.tsx";

/** Everything that is known of one order. */
export function OrderView({ place, stack }: ViewProps) {
  const orderNo = place.path[1] ?? "";
  const merchant = place.query.get("merchant") ?? "";
  const isUnclear = merchant === "" && stack.merchants.length > 1;
  useEffect(() => {
    // Several merchants may have an order of this number.
    if (isUnclear) go(addressOf(["find"], { text: orderNo }), { replace: true });
  }, [isUnclear, orderNo]);
  if (isUnclear) return null;
  return <KnownOrder key={orderNo} orderNo={orderNo} merchant={merchant} stack={stack} />;
}

interface KnownOrderProps {
  readonly orderNo: string;
  readonly merchant: string;
  readonly stack: StackView;
}

function KnownOrder({ orderNo, merchant, stack }: KnownOrderProps) {
  const [isSearched, setSearched] = useState(false);
  const attempts = isSearched ? "yes" : "";
  const path = addressOf(["api", "orders", orderNo], { merchant, attempts });
  // A search of CloudWatch takes seconds, so it is not repeated at intervals.
  const view = useView<WholeTimeline>(path, { isLive: !isSearched });
  return (
    <>
      <p class="trail">
        <Link to="/orders">← Orders</Link>
      </p>
      <div class="line order-head">
        <h1>
          <OrderNo text={orderNo} />
        </h1>
        <Copy text={orderNo} what="order number" />
        {view.data?.order && <Status status={view.data.order.status} />}
      </div>
      {view.problem?.code === "nothing-stored" ? (
        <NothingStored />
      ) : (
        <Shown view={view} what="the order">
          {(data) => (
            <>
              <OrderAttention timeline={data} />
              <div class="order-columns">
                <OrderSummary timeline={data} stack={stack} />
                <section class="card happened">
                  <h2>What happened, newest first</h2>
                  <CompareEvents entries={data.entries} />
                  <Timeline entries={data.entries} stack={stack} />
                  <SearchNote timeline={data} onSearch={() => setSearched(true)} />
                </section>
              </div>
            </>
          )}
        </Shown>
      )}
    </>
  );
}

function NothingStored() {
  return (
    <Empty title="Nothing is stored of this order.">
      <p>
        Is its number right? A callback that could not be understood is{" "}
        <Link to="/quarantine">kept here</Link>.
      </p>
    </Empty>
  );
}

interface SearchNoteProps {
  readonly timeline: WholeTimeline;
  readonly onSearch: () => void;
}

/** Which callback attempts the timeline can have. */
function SearchNote({ timeline: { searched }, onSearch }: SearchNoteProps) {
  if (searched === undefined) {
    return (
      <div class="list-end">
        <p class="quiet">
          Attempts that were refused, and repeats, are only in the log of receive-callback.
        </p>
        <button type="button" onClick={onSearch}>
          Look for attempts in the logs
        </button>
      </div>
    );
  }
  return (
    <p class="quiet list-end">
      The log was searched for callback attempts since <DateTime at={searched.from} />
      {searched.isPartial ? ", but not to its end: there is too much of it." : "."} A refused
      attempt is shown if it names a callback of this order.
    </p>
  );
}
