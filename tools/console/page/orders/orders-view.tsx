import { useEffect, useState } from "preact/hooks";
import { counted } from "../../../../shared/text/number-text.ts";
import type { OrderList } from "../../../operations/orders/orders.ts";
import { type ApiError, asApiError, read } from "../api.ts";
import { OrderView } from "../order/order-view.tsx";
import { Empty, Problem, Shown } from "../parts/states.tsx";
import { OrderTable } from "../parts/table.tsx";
import { DateTime } from "../parts/time.tsx";
import { addressOf, Link, type Query, usePlace } from "../router.tsx";
import { useStack, useView, type View } from "../use-view.ts";
import { FilterFields, filterOf, isNarrow } from "./filter.tsx";

/** /orders is the list, /orders/NUMBER one order. */
export function OrdersView() {
  return usePlace().path[1] === undefined ? <OrderListView /> : <OrderView />;
}

function OrderListView() {
  const filter = filterOf(usePlace().query);
  return (
    <>
      <h1>Orders</h1>
      <p class="lead">
        Newest first. An order appears when the storefront creates it, or when its first callback
        arrives.
      </p>
      <FilterFields />
      <Shown view={useFirst(filter)} what="the orders">
        {(first) => <OrderPage key={JSON.stringify(filter)} first={first} filter={filter} />}
      </Shown>
    </>
  );
}

function OrderPage({ first, filter }: { readonly first: OrderList; readonly filter: Query }) {
  const orders = useReadOn(filter, first);
  const { list, problem, goOn } = orders;
  return (
    <>
      {problem && <Problem error={problem} isOld onRetry={goOn} />}
      {list.orders.length > 0 && (
        <section class="card">
          <OrderTable orders={list.orders} />
        </section>
      )}
      {list.orders.length === 0 && !orders.isReading && (
        <NoOrders from={list.from} filter={filter} />
      )}
      <ListEnd orders={orders} filter={filter} />
    </>
  );
}

function NoOrders({ from, filter }: { readonly from: string; readonly filter: Query }) {
  const { text } = filter;
  const { hasLab } = useStack();
  return (
    <Empty
      title={isNarrow(filter) ? "No order in this range matches." : "No orders in this range."}
    >
      <p>
        The range begins at <DateTime at={from} />. Choose a longer one to see older orders.
        {hasLab && !isNarrow(filter) && (
          <>
            {" "}
            Or <Link to="/lab">create an order</Link> in the Lab.
          </>
        )}
      </p>
      {text !== undefined && (
        <p>
          <Link to={addressOf(["find"], { text })}>Search everything for “{text}”</Link>
        </p>
      )}
    </Empty>
  );
}

/** Says what was searched, stops or continues the search, and links to older orders. */
function ListEnd({ orders, filter }: { readonly orders: Orders; readonly filter: Query }) {
  const { list, isReading, stop, goOn } = orders;
  const isPart = !isReading && list.next !== undefined;
  return (
    <div class="list-end">
      <p class="quiet" role="status">
        <Looked list={list} filter={filter} isReading={isReading} />
      </p>
      <p class="buttons">
        {isReading && (
          <button type="button" onClick={stop}>
            Stop
          </button>
        )}
        {filter["after"] !== undefined && (
          <Link to={addressOf(["orders"], { ...filter, after: undefined })} class="button">
            Newest
          </Link>
        )}
        {isPart && !isEarly(list) && (
          <Link to={addressOf(["orders"], { ...filter, after: list.next })} class="button">
            Show older
          </Link>
        )}
        {isPart && isEarly(list) && (
          <button type="button" onClick={goOn}>
            Continue
          </button>
        )}
      </p>
    </div>
  );
}

interface LookedProps {
  readonly list: OrderList;
  readonly filter: Query;
  readonly isReading: boolean;
}

function Looked({ list, filter, isReading }: LookedProps) {
  const { orders, looked, since, total, from } = list;
  if (!isNarrow(filter)) {
    const isSome = total !== undefined && orders.length < total;
    return (
      <>
        {isSome && `${orders.length} of `}
        {counted(total ?? orders.length, "order")} since <DateTime at={isSome ? from : since} />.
      </>
    );
  }
  return (
    <>
      {isReading && "Searching … "}Searched {counted(looked, "order")}, back to{" "}
      <DateTime at={since} />: {orders.length} found.
    </>
  );
}

/** The server's page size. */
const pageSize = 50;

/** One page of the list. The server may return less than a page after reading many orders; the page then continues. */
interface Orders {
  readonly isReading: boolean;
  /** Its counts cover all responses that make up this page. */
  readonly list: OrderList;
  readonly problem: ApiError | undefined;
  readonly stop: () => void;
  readonly goOn: () => void;
}

/** While the search continues, changes do not reload the list. */
function useFirst(filter: Query): View<OrderList> {
  const [isLong, setLong] = useState(false);
  const first = useView<OrderList>(addressOf(["api", "orders"], filter), {
    isLive: !isLong,
  });
  const isNowLong = first.data !== undefined && isEarly(first.data);
  useEffect(() => setLong(isNowLong), [isNowLong]);
  return first;
}

function useReadOn(filter: Query, first: OrderList): Orders {
  const [more, setMore] = useState<readonly OrderList[]>([]);
  const [isStopped, setStopped] = useState(false);
  const [problem, setProblem] = useState<ApiError>();
  const list = more.reduce(joined, first);
  const { next } = list;
  const isReading = isEarly(list) && !isStopped && problem === undefined;
  useEffect(() => {
    if (!isReading) return;
    const leaving = new AbortController();
    read<OrderList>(addressOf(["api", "orders"], { ...filter, after: next }), leaving.signal).then(
      (page) => setMore((before) => [...before, page]),
      (error: unknown) => leaving.signal.aborted || setProblem(asApiError(error)),
    );
    return () => leaving.abort();
  }, [isReading, next]);
  const goOn = () => {
    setProblem(undefined);
    setStopped(false);
  };
  return { isReading, list, problem, stop: () => setStopped(true), goOn };
}

/** The response ended before the page was full and before the range ended. */
function isEarly({ orders, next }: OrderList): boolean {
  return next !== undefined && orders.length < pageSize;
}

function joined(shown: OrderList, { orders, looked, next, since }: OrderList): OrderList {
  return {
    ...shown,
    orders: [...shown.orders, ...orders],
    looked: shown.looked + looked,
    next,
    since,
  };
}
