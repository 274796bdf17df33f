import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { counted } from "../../../../shared/number-text.ts";
import type { Found } from "../../../operations/orders/find-anything.ts";
import type { SearchHit } from "../../../operations/orders/search-hit.ts";
import { Badge, OrderNo, Status } from "../parts/elements.tsx";
import { Empty, NotFound, Shown } from "../parts/states.tsx";
import { OrderTable } from "../parts/table.tsx";
import { DateTime } from "../parts/time.tsx";
import { addressOf, go, Link, usePlace } from "../router.tsx";
import { useView } from "../use-view.ts";

/** What a number stands for. If it stands for one thing only, the page goes there. */
export function FindView() {
  const { text = "", before } = usePlace().query;
  const path = text === "" ? undefined : addressOf(["api", "find"], { text, before });
  const found = useView<Found>(path, { isLive: false });
  if (path === undefined) {
    return <NotFound heading="Find" title="Type a number into the field above." />;
  }
  return (
    <>
      <h1>
        Find <OrderNo text={text} />
      </h1>
      <Shown view={found} what="the indexes and recent callbacks">
        {(data) => <Hits found={data} text={text} />}
      </Shown>
    </>
  );
}

function Hits({ found, text }: { readonly found: Found; readonly text: string }) {
  const { hits, containing, lookedThrough } = found;
  const [only] = hits;
  const target = hits.length === 1 && only !== undefined ? placeOf(only) : undefined;
  useEffect(() => {
    if (target !== undefined) go(target, { replace: true });
  }, [target]);
  return (
    <>
      {hits.length > 0 && (
        <ul class="hits">
          {hits.map((hit) => (
            <HitItem key={JSON.stringify(hit)} hit={hit} />
          ))}
        </ul>
      )}
      {containing !== undefined && containing.orders.length > 0 && (
        <section class="card hits-orders">
          <h2>Orders with this in their number</h2>
          <OrderTable orders={containing.orders} />
        </section>
      )}
      {hits.length + (containing?.orders.length ?? 0) === 0 && (
        <Empty title="Nothing was found.">
          <p>
            A callback that was refused is not stored: look for it in the log of receive-callback.
          </p>
        </Empty>
      )}
      {containing && (
        <SearchEnd
          to={addressOf(["orders"], { text, from: "7d" })}
          more="Look in the orders of 7 days"
        >
          Looked at the numbers of {counted(containing.looked, "order")}, since{" "}
          <DateTime at={containing.since} />.
        </SearchEnd>
      )}
      {lookedThrough && (
        <SearchEnd
          to={addressOf(["find"], { text, before: lookedThrough.since })}
          more="Look further back"
        >
          It is no order number, payment or callback. Looked for it as a transaction, refund or
          event in {lookedThrough.records} recent callbacks, since{" "}
          <DateTime at={lookedThrough.since} />.
        </SearchEnd>
      )}
    </>
  );
}

/** Where a hit can be looked at; undefined if no view shows it. */
export function placeOf({
  orderNo,
  merchantId,
  isQuarantined,
  callbackId,
}: SearchHit): string | undefined {
  if (orderNo !== undefined) return addressOf(["orders", orderNo], { merchant: merchantId });
  return isQuarantined ? addressOf(["attention"], { text: callbackId }) : undefined;
}

function HitItem({ hit }: { readonly hit: SearchHit }) {
  const { what, orderNo, merchantId, paymentId, callbackId, status, isQuarantined } = hit;
  const to = placeOf(hit);
  const name = <OrderNo text={orderNo ?? paymentId ?? callbackId ?? ""} />;
  return (
    <li class="card">
      <p class="line">
        <strong>{to === undefined ? name : <Link to={to}>{name}</Link>}</strong>
        {status !== undefined && <Status status={status} />}
        {isQuarantined && <Badge tone="bad">not understood</Badge>}
      </p>
      <p class="quiet">
        Found as {what}, of merchant {merchantId}.
        {orderNo === undefined && " It is not linked to an order."}
      </p>
    </li>
  );
}

interface SearchEndProps {
  /** What was read. */
  readonly children: ComponentChildren;
  readonly to: string;
  readonly more: string;
}

/** No index has everything, so it is told what was read, and how to look further. */
function SearchEnd({ children, to, more }: SearchEndProps) {
  return (
    <div class="list-end">
      <p class="quiet">{children}</p>
      <p class="buttons">
        <Link to={to} class="button">
          {more}
        </Link>
      </p>
    </div>
  );
}
