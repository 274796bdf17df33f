import type { OrderList } from "../../../operations/orders/orders.ts";
import { counted } from "../../../shared/counted.ts";
import { OrderView } from "../order/order-view.tsx";
import { OrderTable } from "../parts/order-table.tsx";
import { Empty, Problem, Shown } from "../parts/states.tsx";
import { DateTime } from "../parts/time.tsx";
import { addressOf, Link, type Query, usePlace } from "../router.tsx";
import { useStack } from "../stack.ts";
import { FilterFields, filterOf, isNarrow } from "./filter.tsx";
import { isEarly, type OrdersView as Orders, useFirst, useReadOn } from "./use-orders.ts";

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
        Newest first. An order appears when the storefront creates it, or when the first callback
        tells of it.
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
    <Empty title={isNarrow(filter) ? "No such order in this range." : "No orders in this range."}>
      <p>
        The range begins at <DateTime at={from} />. Choose a longer one to look further back.
        {hasLab && !isNarrow(filter) && (
          <>
            {" "}
            Or <Link to="/lab">make an order</Link> in the Lab.
          </>
        )}
      </p>
      {text !== undefined && (
        <p>
          <Link to={addressOf(["find"], { text })}>Look for “{text}” everywhere</Link>
        </p>
      )}
    </Empty>
  );
}

/** Says what was looked at, goes on or stops, and leads to older orders. */
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
      {isReading && "Looking … "}Looked through {counted(looked, "order")}, back to{" "}
      <DateTime at={since} />: {orders.length} found.
    </>
  );
}
