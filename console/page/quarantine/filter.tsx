import type { QuarantinedItem } from "../../../operations/quarantine/item.ts";
import { detailText, kindWords, nameOf, reasonText } from "../../../operations/quarantine/words.ts";
import { Select } from "../parts/fields.tsx";
import { addressOf, go, type Place } from "../router.tsx";

export type Filter = ReturnType<typeof filterOf>;

/** What the list is limited to. It is in the address, so that a reload and a shared link show the same. */
export function filterOf({ query }: Place) {
  const given = (name: string) => query.get(name) ?? undefined;
  return {
    text: query.get("text") ?? "",
    ...{ kind: given("kind"), reason: given("reason"), subscriber: given("subscriber") },
    /** Looks in one order only, also for events that nothing tried to deliver. */
    order: given("order"),
  };
}

export function setFilter(filter: Filter, replace = true): void {
  go(addressOf(["quarantine"], { ...filter }), { replace });
}

/** The server applies the rest of the filter. */
export function isShown(item: QuarantinedItem, { text }: Filter): boolean {
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
  return all.some((one) => one.toLowerCase().includes(text.trim().toLowerCase()));
}

const indexedKinds = ["quarantined", "undeliverable", "waiting"] as const;

interface FilterFieldsProps {
  readonly filter: Filter;
  readonly items: readonly QuarantinedItem[];
  readonly configured: readonly string[];
}

export function FilterFields({ filter, items, configured }: FilterFieldsProps) {
  const reasons = new Set(items.map(({ reason }) => reason));
  if (filter.reason !== undefined) reasons.add(filter.reason);
  // A subscriber that was removed from the config may have left thousands of events.
  const subscribers = new Set([
    ...configured,
    ...items.flatMap((item) => Object.keys(item.subscribers)),
    ...(filter.subscriber === undefined ? [] : [filter.subscriber]),
  ]);
  return (
    <>
      <label>
        Search
        <input
          type="search"
          value={filter.text}
          placeholder="Order, merchant, id"
          onInput={({ currentTarget }) => setFilter({ ...filter, text: currentTarget.value })}
        />
      </label>
      <Select
        label="State"
        all="Every state"
        value={filter.kind}
        options={indexedKinds.map((kind) => [kind, kindWords[kind].title])}
        onChange={(kind) => setFilter({ ...filter, kind })}
      />
      <Select
        label="Reason"
        all="Every reason"
        value={filter.reason}
        options={[...reasons].sort().map((reason) => [reason, reasonText(reason)])}
        onChange={(reason) => setFilter({ ...filter, reason })}
      />
      <Select
        label="Subscriber"
        all="Every subscriber"
        value={filter.subscriber}
        options={[...subscribers].map((name) => [
          name,
          configured.includes(name) ? name : `${name} (removed)`,
        ])}
        onChange={(subscriber) => setFilter({ ...filter, subscriber })}
      />
    </>
  );
}

/** An event that nothing tried to deliver is in no index. It is found by its order. */
export function OrderForm({ filter }: { readonly filter: Filter }) {
  const look = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const order = new FormData(event.currentTarget).get("order");
    if (typeof order === "string" && order !== "") setFilter({ ...filter, order }, false);
  };
  return (
    <details class="card">
      <summary>Is an event missing that is not listed?</summary>
      <p class="quiet">
        If somebody purged the inbox, nothing tries to deliver what was in it. Such an event is
        found by its order.
      </p>
      <form class="tools" onSubmit={look}>
        <label>
          Order number
          <input name="order" maxLength={64} required autocomplete="off" />
        </label>
        <button type="submit">Look in this order</button>
      </form>
    </details>
  );
}
