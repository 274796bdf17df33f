import { useEffect, useState } from "preact/hooks";
import {
  isTriedByItself,
  openProblemsOf,
  triedByItself,
} from "../../../operations/timeline/open-problems.ts";
import type { WholeTimeline } from "../../../operations/timeline/whole-timeline.ts";
import { Copy, OrderNo, Status } from "../parts/elements.tsx";
import { Meaning } from "../parts/meaning.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { DateTime, wholeTime } from "../parts/time.tsx";
import { addressOf, go, Link, usePlace } from "../router.tsx";
import { useStack, useView } from "../use-view.ts";
import { CompareEvents } from "./compare-events.tsx";
import { OrderSummary } from "./order-summary.tsx";
import { Timeline } from "./order-timeline.tsx";

/** Everything that is known about one order. */
export function OrderView() {
  const { path, query } = usePlace();
  const [, orderNo = ""] = path;
  const { merchant } = query;
  const isUnclear = useStack().merchants.length > 1 && merchant === undefined;
  useEffect(() => {
    // Several merchants may have an order with this number.
    if (isUnclear) go(addressOf(["find"], { text: orderNo }), { replace: true });
  }, [isUnclear, orderNo]);
  if (isUnclear) return null;
  return <KnownOrder key={orderNo} orderNo={orderNo} merchant={merchant} />;
}

interface KnownOrderProps {
  readonly orderNo: string;
  readonly merchant: string | undefined;
}

function KnownOrder({ orderNo, merchant }: KnownOrderProps) {
  const [isSearched, setSearched] = useState(false);
  const attempts = isSearched ? "yes" : "";
  const path = addressOf(["api", "orders", orderNo], { merchant, attempts });
  // A CloudWatch search takes seconds, so it does not repeat at intervals.
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
      <Shown view={view} what="the order" missing={<NothingStored />}>
        {(data) => (
          <>
            <OrderAttention timeline={data} />
            <div class="order-columns">
              <OrderSummary timeline={data} />
              <section class="card happened">
                <h2>What happened, newest first</h2>
                <CompareEvents entries={data.entries} />
                <Timeline entries={data.entries} />
                <SearchNote timeline={data} onSearch={() => setSearched(true)} />
              </section>
            </div>
          </>
        )}
      </Shown>
    </>
  );
}

function NothingStored() {
  return (
    <Empty title="Nothing is stored about this order.">
      <p>
        Check the number. Callbacks that could not be understood are{" "}
        <Link to="/attention">listed here</Link>.
      </p>
    </Empty>
  );
}

interface SearchNoteProps {
  readonly timeline: WholeTimeline;
  readonly onSearch: () => void;
}

/** Which callback attempts the timeline contains. */
function SearchNote({ timeline: { searched }, onSearch }: SearchNoteProps) {
  if (searched === undefined) {
    return (
      <div class="list-end">
        <p class="quiet">Rejected and repeated attempts are only in the log of receive-callback.</p>
        <button type="button" onClick={onSearch}>
          Search the logs for attempts
        </button>
      </div>
    );
  }
  return (
    <p class="quiet list-end">
      Searched the log for callback attempts since <DateTime at={searched.from} />
      {searched.isPartial ? ". The log is too large to search completely." : "."} A rejected attempt
      is listed if it names a callback of this order.
    </p>
  );
}

/** The order's open problems, at the top of its page. */
function OrderAttention({ timeline }: { readonly timeline: WholeTimeline }) {
  const { entries, orderNo } = timeline;
  const problems = openProblemsOf(entries, wholeTime);
  if (problems.length === 0) return null;
  const isBad = problems.some(({ isFinal }) => isFinal);
  const isNoticed = problems.some(({ isNotice }) => isNotice);
  const tone = problems.every(isTriedByItself) ? "open" : "bad";
  return (
    <section class={`notice ${tone}`} aria-label="What is wrong">
      <ul class="warnings">
        {problems.map((problem, at) => (
          <li key={at}>
            {problem.text} <DeadLettersOf subscriber={problem.deadLettersOf} />
          </li>
        ))}
      </ul>
      {isBad || isNoticed ? (
        <p>
          <Link to={addressOf(["attention"], { order: orderNo })}>
            {isBad ? "Redrive" : "Show details"}
          </Link>
          {isBad && <Meaning of="redrive" />}
        </p>
      ) : (
        problems.some(isTriedByItself) && <p>{triedByItself}</p>
      )}
    </section>
  );
}

/** The page does not read them by itself: receiving the messages would hide them from other consumers for a while. */
function DeadLettersOf({ subscriber }: { readonly subscriber: string | undefined }) {
  if (subscriber === undefined) return null;
  return (
    <>
      <Link to={addressOf(["subscribers", subscriber])}>Show the dead letters</Link>
      <Meaning of="subscriber dead letters" />
    </>
  );
}
