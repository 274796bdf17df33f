import type { QuarantinedItem } from "../../../operations/quarantine/item.ts";
import {
  detailText,
  kindWords,
  nameOf,
  reasonText,
} from "../../../operations/quarantine/item-words.ts";
import { Field, FilterSelect, setFilter } from "../parts/fields.tsx";
import { setQuery, usePlace } from "../router.tsx";
import { useStack } from "../stack.ts";

/** The server applies the rest of the filter. */
export function isFoundBy(text: string, item: QuarantinedItem): boolean {
  const { id, reason, merchantId, callbackId = "" } = item;
  const all = [
    ...[id, nameOf(item), reasonText(reason), reason],
    ...[detailText(item), merchantId, callbackId],
  ];
  return all.some((one) => one.toLowerCase().includes(text.trim().toLowerCase()));
}

const indexedKinds = ["quarantined", "undeliverable", "waiting"] as const;

export function FilterFields({ items }: { readonly items: readonly QuarantinedItem[] }) {
  const { text = "", reason, subscriber } = usePlace().query;
  const configured = useStack().subscribers;
  const reasons = new Set([...items.map((item) => item.reason), ...(reason ? [reason] : [])]);
  // A subscriber that was removed from the config may have left thousands of events.
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
        {...{ name: "kind", label: "State", all: "Every state" }}
        options={indexedKinds.map((kind) => [kind, kindWords[kind].title])}
      />
      <FilterSelect
        {...{ name: "reason", label: "Reason", all: "Every reason" }}
        options={[...reasons].sort().map((one) => [one, reasonText(one)])}
      />
      <FilterSelect
        {...{ name: "subscriber", label: "Subscriber", all: "Every subscriber" }}
        options={[...subscribers].map((name) => [
          name,
          configured.includes(name) ? name : `${name} (removed)`,
        ])}
      />
    </>
  );
}

/** An event that nothing tried to deliver is in no index. It is found by its order. */
export function OrderForm() {
  const look = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const order = new FormData(event.currentTarget).get("order");
    if (typeof order === "string") setQuery({ order }, { replace: false });
  };
  return (
    <details class="card">
      <summary>Is an event missing that is not listed?</summary>
      <p class="quiet">
        If somebody purged the inbox, nothing tries to deliver what was in it. Such an event is
        found by its order.
      </p>
      <form class="tools" onSubmit={look}>
        <Field label="Order number" name="order" maxLength={64} required />
        <button type="submit">Look in this order</button>
      </form>
    </details>
  );
}
