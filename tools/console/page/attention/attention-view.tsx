import { attentionKinds } from "../../../../shared/attention/attention-kinds.ts";
import type { AttentionList } from "../../../operations/attention/attention.ts";
import type { AttentionItem } from "../../../operations/attention/item.ts";
import {
  detailText,
  itemWords,
  kindsOf,
  nameOf,
} from "../../../operations/attention/item-words.ts";
import { reasonText } from "../../../operations/reason-words.ts";
import { Outside } from "../parts/elements.tsx";
import { Field, FilterSelect, setFilter, useChoice } from "../parts/fields.tsx";
import { Meaning } from "../parts/meaning.tsx";
import { Empty, InLab, Limited, ReadOnly, Shown } from "../parts/states.tsx";
import { addressOf, Link, setQuery, usePlace } from "../router.tsx";
import { useStack, useView } from "../use-view.ts";
import { Changes, ItemTable, ItemView, KindBadge } from "./items.tsx";

/** Everything that needs attention, or waits for a subscriber's queue. */
export function AttentionView() {
  const id = usePlace().path[1];
  return id === undefined ? <ListView /> : <ItemView key={id} id={id} />;
}

function ListView() {
  const { order, kind, reason, subscriber } = usePlace().query;
  const asked = { kind, reason, subscriber, order, limit: "500" };
  const view = useView<AttentionList>(addressOf(["api", "attention", "list"], asked));
  return (
    <>
      <h1>
        Attention <Meaning of="attention" />
      </h1>
      <p class="lead">
        Callbacks that could not be understood, events that a subscriber's queue rejects, and
        notices about unusual payments or orders. Each item stays here until it is resolved or
        dismissed.
      </p>
      {order !== undefined && (
        <Limited
          end="Show everything"
          onEnd={() => setQuery({ order: undefined }, { replace: false })}
        >
          Only items of order <Outside text={order} /> and its payments, including events that were
          never sent.
        </Limited>
      )}
      <Shown view={view} what="the list">
        {(data) => <Found data={data} />}
      </Shown>
      {order === undefined && <OrderForm />}
    </>
  );
}

function Found({ data: { items, more, isMore } }: { readonly data: AttentionList }) {
  const { kind, reason, subscriber, text = "" } = usePlace().query;
  const shown = items.filter((item) => isFoundBy(text, item));
  const choice = useChoice(items.map(({ id }) => id));
  const isFiltered = [kind, reason, subscriber].some((value) => value !== undefined);
  if (items.length === 0 && !isFiltered) return <Nothing />;
  return (
    <section class="card" aria-label="Items that need attention">
      <div class="tools">
        <FilterFields items={items} />
        <ListChanges
          chosen={[...choice.chosen]}
          searched={text.trim() === "" ? undefined : shown.map(({ id }) => id)}
          canRedrive={shown.some(hasReason)}
          onDone={choice.clear}
        />
      </div>
      <ReadOnly />
      {more > 0 && (
        <p class="quiet">
          The newest {items.length} are listed, {isMore ? "at least " : ""}
          {more} more are older.
        </p>
      )}
      {shown.length === 0 ? (
        <Empty title="Nothing matches.">
          <p>
            <Link to="/attention">Show everything</Link>
          </p>
        </Empty>
      ) : (
        <ItemTable items={shown} choice={choice} />
      )}
      <Explained items={shown} />
    </section>
  );
}

/** What happened, what to do and how it ends, once for each kind in the list. */
function Explained({ items }: { readonly items: readonly AttentionItem[] }) {
  return (
    <dl class="kinds">
      {kindsOf(items).map((kind) => {
        const { means, todo, ends } = itemWords[kind];
        return (
          <div key={kind}>
            <dt>
              <KindBadge kind={kind} /> {means}
            </dt>
            <dd>
              <strong>What to do:</strong> {todo}
            </dd>
            <dd class="quiet">
              <strong>Ends:</strong> {ends}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

function Nothing() {
  return (
    <Empty title="Nothing needs attention.">
      <p>
        Every callback was understood, every subscriber's queue accepts its events, and there are no
        notices.
      </p>
      <InLab>To practise, switch on the fault unknown-event and pay an order.</InLab>
    </Empty>
  );
}

interface ListChangesProps {
  readonly chosen: readonly string[];
  /** The items that match the search. The search runs in the page, not on the server. */
  readonly searched: readonly string[] | undefined;
  /** False if only notices are listed. */
  readonly canRedrive: boolean;
  readonly onDone: () => void;
}

/** Acts on the selected items; without a selection, on the items that match the search and the filter. */
function ListChanges({ chosen, searched, canRedrive, onDone }: ListChangesProps) {
  const { kind, reason, subscriber, order } = usePlace().query;
  const isChosen = chosen.length > 0;
  const ids = isChosen ? chosen : searched;
  const scope = { kind, reason, subscriber, order };
  const input = () => (ids === undefined ? { ...scope, all: true } : { ids, order });
  if (ids?.length === 0) return null;
  return (
    <div class="buttons">
      <Changes
        count={ids === undefined ? "all" : String(ids.length)}
        input={input}
        isPrimary={isChosen}
        canRedrive={canRedrive}
        onDone={onDone}
      />
    </div>
  );
}

/** The server applies the rest of the filter. */
function isFoundBy(text: string, item: AttentionItem): boolean {
  const { id, reason, merchantId, callbackId = "" } = item;
  const all = [
    id,
    nameOf(item),
    reasonText(reason),
    reason,
    detailText(item),
    merchantId,
    callbackId,
  ];
  return all.some((searched) => searched.toLowerCase().includes(text.trim().toLowerCase()));
}

/** A notice has no reason besides its kind. */
function hasReason({ kind, reason }: AttentionItem): boolean {
  return kind !== reason;
}

function FilterFields({ items }: { readonly items: readonly AttentionItem[] }) {
  const { text = "", reason, subscriber } = usePlace().query;
  const configured = useStack().subscribers;
  const known = items.filter(hasReason).map((item) => item.reason);
  const reasons = new Set([...known, ...(reason ? [reason] : [])]);
  // A subscriber that was removed from the config may still have thousands of events.
  const subscribers = new Set([
    ...configured,
    ...items.flatMap((item) => Object.keys(item.subscribers)),
    ...(subscriber ? [subscriber] : []),
  ]);
  return (
    <>
      <Field
        label="Search"
        type="search"
        value={text}
        placeholder="Order, merchant, id"
        onText={(typed) => setFilter({ text: typed })}
      />
      <FilterSelect
        name="kind"
        label="Kind"
        all="Every kind"
        options={[
          ["notice", "all notices"],
          ...attentionKinds.map((kind): [string, string] => [kind, itemWords[kind].title]),
        ]}
      />
      <FilterSelect
        name="reason"
        label="Reason"
        all="Every reason"
        options={[...reasons].sort().map((known) => [known, reasonText(known)])}
      />
      <FilterSelect
        name="subscriber"
        label="Subscriber"
        all="Every subscriber"
        options={[...subscribers].map((name) => [
          name,
          configured.includes(name) ? name : `${name} (removed)`,
        ])}
      />
    </>
  );
}

/** An event that was never sent is in no index. It is found by its order. */
function OrderForm() {
  const look = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const order = new FormData(event.currentTarget).get("order");
    if (typeof order === "string") setQuery({ order }, { replace: false });
  };
  return (
    <details class="card">
      <summary>Is an event missing from this list?</summary>
      <p class="quiet">
        If the inbox was purged, its events are not sent and not listed here. Search for such an
        event by its order number.
      </p>
      <form class="tools" onSubmit={look}>
        <Field label="Order number" name="order" maxLength={64} required />
        <button type="submit">Search this order</button>
      </form>
    </details>
  );
}
