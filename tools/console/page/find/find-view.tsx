import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { counted } from "../../../../shared/text/number-text.ts";
import type { Found } from "../../../operations/orders/find-anything.ts";
import type { SearchHit } from "../../../operations/orders/search-hit.ts";
import { Badge, OrderNo, Status } from "../parts/elements.tsx";
import { Empty, NotFound, Shown } from "../parts/states.tsx";
import { OrderTable } from "../parts/table.tsx";
import { DateTime } from "../parts/time.tsx";
import { addressOf, go, Link, usePlace } from "../router.tsx";
import { useView } from "../use-view.ts";

/** What a number identifies. If there is exactly one match, the page goes there. */
export function FindView() {
  const { text = "", before } = usePlace().query;
  const path = text === "" ? undefined : addressOf(["api", "find"], { text, before });
  const found = useView<Found>(path, { isLive: false });
  if (path === undefined) {
    return <NotFound heading="Find" title="Type a number in the search field above." />;
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
          <h2>Order numbers that contain it</h2>
          <OrderTable orders={containing.orders} />
        </section>
      )}
      {hits.length + (containing?.orders.length ?? 0) === 0 && (
        <Empty title="No matches.">
          <p>
            Rejected callbacks are not stored. Find them under <Link to="/requests">Requests</Link>.
          </p>
        </Empty>
      )}
      {containing && (
        <SearchEnd
          to={addressOf(["orders"], { text, from: "7d" })}
          more="Search the orders of the last 7 days"
        >
          Searched {counted(containing.looked, "order number")}, back to{" "}
          <DateTime at={containing.since} />.
        </SearchEnd>
      )}
      {lookedThrough && (
        <SearchEnd
          to={addressOf(["find"], { text, before: lookedThrough.since })}
          more="Search further back"
        >
          It is not an exact order number, payment or callback id. Searched {lookedThrough.records}{" "}
          recent callbacks for a transaction, refund or event with this id, back to{" "}
          <DateTime at={lookedThrough.since} />.
        </SearchEnd>
      )}
    </>
  );
}

/** The page that shows a hit; undefined if there is none. */
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
        Matches {what} of merchant {merchantId}.
        {orderNo === undefined && " It is not linked to an order."}
      </p>
    </li>
  );
}

interface SearchEndProps {
  /** What was searched. */
  readonly children: ComponentChildren;
  readonly to: string;
  readonly more: string;
}

/** No index covers everything, so say what was searched. */
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
