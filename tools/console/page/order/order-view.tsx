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

/** Everything that is known of one order. */
export function OrderView() {
  const { path, query } = usePlace();
  const [, orderNo = ""] = path;
  const { merchant } = query;
  const isUnclear = useStack().merchants.length > 1 && merchant === undefined;
  useEffect(() => {
    // Several merchants may have an order of this number.
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
    <Empty title="Nothing is stored of this order.">
      <p>
        Is its number right? A callback that could not be understood is{" "}
        <Link to="/attention">kept here</Link>.
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

/** What is not right with the order now, at the top of its page. */
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
            {isBad ? "Redrive" : "Look at it"}
          </Link>
          {isBad && <Meaning of="redrive" />}
        </p>
      ) : (
        problems.some(isTriedByItself) && <p>{triedByItself}</p>
      )}
    </section>
  );
}

/** The page does not look by itself: receiving the messages would hide them from others for a while. */
function DeadLettersOf({ subscriber }: { readonly subscriber: string | undefined }) {
  if (subscriber === undefined) return null;
  return (
    <>
      <Link to={addressOf(["subscribers", subscriber])}>Look at the dead letters</Link>
      <Meaning of="subscriber dead letters" />
    </>
  );
}
