import type { OrderList } from "../../../operations/orders/list-orders.ts";
import type { ListedOrder } from "../../../operations/orders/listed-order.ts";
import { Meaning } from "../parts/meaning.tsx";
import { OrderTable } from "../parts/order-table.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { DateTime } from "../parts/time.tsx";
import { addressOf, go, Link, type Place } from "../router.tsx";
import { useView } from "../use-view.ts";
import type { ViewProps } from "../view-props.ts";
import { OrderView } from "./order-view.tsx";

/** /orders is the list, /orders/NUMBER one order. */
export function OrdersView(props: ViewProps) {
  const { path } = props.place;
  return path[1] === undefined ? <OrderListView {...props} /> : <OrderView {...props} />;
}

const statuses = ["pending", "confirming", "success", "failed", "timeout"];
const filterNames = ["text", "status", "flagged", "before"] as const;

type Filter = Readonly<Record<(typeof filterNames)[number], string>>;

function filterOf({ query }: Place): Filter {
  const value = (name: string) => query.get(name) ?? "";
  return {
    text: value("text"),
    status: value("status"),
    flagged: value("flagged"),
    before: value("before"),
  };
}

function OrderListView({ place, stack }: ViewProps) {
  const filter = filterOf(place);
  const { status, flagged, before } = filter;
  const list = useView<OrderList>(addressOf(["api", "orders"], { status, flagged, before }));
  return (
    <>
      <h1>Orders</h1>
      <p class="lead">
        The newest change first. An order that the service refused, or did not answer about, is
        found by its number.
      </p>
      <FilterBar filter={filter} />
      <Shown view={list} what="the orders">
        {(data) => (
          <>
            <Orders list={data} filter={filter} hasMerchants={stack.merchants.length > 1} />
            <ListEnd list={data} filter={filter} />
          </>
        )}
      </Shown>
    </>
  );
}

/** The filter is in the address, so a reload keeps it. Status and flags are filtered where the orders are read. */
function FilterBar({ filter }: { readonly filter: Filter }) {
  const set = (changed: Partial<Filter>) =>
    go(addressOf(["orders"], { ...filter, ...changed }), { replace: true });
  return (
    <div class="filters">
      <label>
        Number or payment
        <input
          type="search"
          value={filter.text}
          maxLength={200}
          placeholder="Part of it"
          onInput={({ currentTarget }) => set({ text: currentTarget.value })}
        />
      </label>
      <label>
        Status
        <select
          value={filter.status}
          onChange={({ currentTarget }) => set({ status: currentTarget.value, before: "" })}
        >
          <option value="">Any</option>
          {statuses.map((status) => (
            <option key={status} value={status}>
              {status}
            </option>
          ))}
        </select>
      </label>
      <span class="explained">
        <label class="check">
          <input
            type="checkbox"
            checked={filter.flagged !== ""}
            onChange={({ currentTarget }) =>
              set({ flagged: currentTarget.checked ? "yes" : "", before: "" })
            }
          />
          Flagged only
        </label>
        <Meaning of="flag" />
      </span>
    </div>
  );
}

interface OrdersProps {
  readonly list: OrderList;
  readonly filter: Filter;
  readonly hasMerchants: boolean;
}

function Orders({ list, filter, hasMerchants }: OrdersProps) {
  const shown = list.orders.filter((order) => matches(order, filter.text));
  if (shown.length > 0) {
    return (
      <section class="card">
        <OrderTable orders={shown} hasMerchants={hasMerchants} />
      </section>
    );
  }
  if (filter.text !== "") {
    return (
      <Empty title="No order in this list has that in its number or payment.">
        <p>
          <Link to={addressOf(["find"], { text: filter.text })}>Look for it everywhere</Link>
        </p>
      </Empty>
    );
  }
  const isFiltered = filter.status !== "" || filter.flagged !== "";
  return (
    <Empty title={isFiltered ? "No such order." : "No orders yet."}>
      <p>An order appears here when the storefront creates it, or when a callback tells of it.</p>
    </Empty>
  );
}

function matches({ orderNo, paymentIds }: ListedOrder, text: string): boolean {
  const wanted = text.trim().toLowerCase();
  return [orderNo, ...paymentIds].some((id) => id.toLowerCase().includes(wanted));
}

/** Says where the list ends, and leads further back. */
function ListEnd({ list, filter }: { readonly list: OrderList; readonly filter: Filter }) {
  const older = addressOf(["orders"], { ...filter, before: list.since });
  return (
    <div class="list-end">
      <p class="quiet">
        Everything since <DateTime at={list.since} />
        {filter.before !== "" && (
          <>
            {" "}
            and before <DateTime at={filter.before} />
          </>
        )}
        .{list.isUntoldLimited && " Orders without a callback may be missing: there are too many."}
      </p>
      <p class="buttons">
        {filter.before !== "" && (
          <Link to={addressOf(["orders"], { ...filter, before: "" })} class="button">
            Newest
          </Link>
        )}
        <Link to={older} class="button">
          Show older
        </Link>
      </p>
    </div>
  );
}
