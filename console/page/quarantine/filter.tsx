import type { QuarantinedItem } from "../../../operations/quarantine/quarantined-item.ts";
import { addressOf, go, type Place } from "../router.tsx";
import { nameOf, reasonText, reasonTitle } from "./words.ts";

/** What the list is limited to. It is in the address, so that a reload and a shared link show the same. */
export interface Filter {
  readonly text: string;
  readonly reason: string | undefined;
  /** Looks on the server in one order only, also for events whose dead letter is gone. */
  readonly order: string | undefined;
}

export function filterOf({ query }: Place): Filter {
  return {
    text: query.get("text") ?? "",
    reason: query.get("reason") ?? undefined,
    order: query.get("order") ?? undefined,
  };
}

export function setFilter(filter: Filter, replace = true): void {
  go(addressOf(["quarantine"], { ...filter }), { replace });
}

export function isShown(item: QuarantinedItem, { text, reason }: Filter): boolean {
  if (reason !== undefined && item.reason !== reason) return false;
  const { id, detail = "", merchantId = "", callbackId = "" } = item;
  const all = [
    id,
    nameOf(item),
    reasonText(item),
    item.reason ?? "",
    detail,
    merchantId,
    callbackId,
  ];
  return all.some((one) => one.toLowerCase().includes(text.trim().toLowerCase()));
}

interface FilterFieldsProps {
  readonly filter: Filter;
  readonly items: readonly QuarantinedItem[];
}

export function FilterFields({ filter, items }: FilterFieldsProps) {
  const reasons = [...new Set(items.flatMap(({ reason }) => reason ?? []))].sort();
  return (
    <>
      <label>
        Search
        <input
          type="search"
          value={filter.text}
          placeholder="Order, merchant, callback, id"
          onInput={({ currentTarget }) => setFilter({ ...filter, text: currentTarget.value })}
        />
      </label>
      <label>
        Reason
        <select
          value={filter.reason ?? ""}
          onChange={({ currentTarget: { value } }) =>
            setFilter({ ...filter, reason: value === "" ? undefined : value })
          }
        >
          <option value="">Every reason</option>
          {reasons.map((reason) => (
            <option key={reason} value={reason}>
              {reasonTitle(reason)}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}

/** Dead letters expire after 14 days. Without one, an undelivered event is only found by its order. */
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
        SQS deletes a dead letter after 14 days. An event that a subscriber still misses after that
        is found by its order.
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
