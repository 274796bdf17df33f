import { useEffect, useRef, useState } from "preact/hooks";
import { flags } from "../../../shared/facts/flags.ts";
import { Select } from "../parts/fields.tsx";
import { flagName, Meaning } from "../parts/meaning.tsx";
import { addressOf, go, type Place } from "../router.tsx";
import {
  dayOf,
  minuteOf,
  nameOfRange,
  type Range,
  rangeNamed,
  rangeOfDay,
  ranges,
  timeOfMinute,
} from "./range.ts";

export type Filter = ReturnType<typeof filterOf>;

/** What the list is limited to, and where the page begins. It is in the address: a reload and a link show the same. */
export function filterOf({ query }: Place) {
  const value = (name: string) => query.get(name) ?? "";
  return {
    ...{ from: value("from"), until: value("until"), text: value("text"), after: value("after") },
    ...{ status: value("status"), merchant: value("merchant"), flag: value("flag") },
  };
}

/** Whether some orders of the range may be left out. */
export function isNarrow({ text, status, merchant, flag }: Filter): boolean {
  return [text, status, merchant, flag].some((value) => value !== "");
}

const statuses = ["pending", "confirming", "success", "failed", "timeout", "refused"];

interface FilterFieldsProps {
  readonly filter: Filter;
  readonly merchants: readonly string[];
}

export function FilterFields({ filter, merchants }: FilterFieldsProps) {
  const set = (changed: Partial<Filter>) =>
    go(addressOf(["orders"], { ...filter, after: "", ...changed }), { replace: true });
  const flagOptions = flags.map((flag) => [flag, flagName(flag)] as const);
  const field = (name: keyof Filter) => ({
    value: filter[name],
    onChange: (value = "") => set({ [name]: value }),
  });
  return (
    <div class="filters">
      <TextField text={filter.text} onText={(text) => set({ text })} />
      <RangeFields range={filter} onRange={set} />
      <Select
        label="Status"
        all="Any"
        options={statuses.map((one) => [one, one])}
        {...field("status")}
      />
      <span class="explained">
        <Select
          label="Flag"
          all="With or without"
          options={[["any", "Any flag"], ...flagOptions]}
          {...field("flag")}
        />
        <Meaning of="flag" />
      </span>
      {merchants.length > 1 && (
        <Select
          label="Merchant"
          all="All"
          options={merchants.map((one) => [one, one])}
          {...field("merchant")}
        />
      )}
    </div>
  );
}

/** A person who types is given this time for the next letter. */
const pauseMilliseconds = 300;

function TextField({ text, onText }: { readonly text: string; onText: (text: string) => void }) {
  const [typed, setTyped] = useState(text);
  const sent = useRef(text);
  const latest = useRef(onText);
  latest.current = onText;
  // The address has changed by another way than this field.
  if (sent.current !== text) {
    sent.current = text;
    setTyped(text);
  }
  useEffect(() => {
    const send = () => {
      sent.current = typed.trim();
      latest.current(sent.current);
    };
    const timer = typed.trim() === sent.current ? undefined : setTimeout(send, pauseMilliseconds);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <label>
      Order number
      <input
        type="search"
        value={typed}
        maxLength={200}
        placeholder="Any part of it"
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
    </label>
  );
}

interface RangeFieldsProps {
  readonly range: Range;
  readonly onRange: (range: Partial<Range>) => void;
}

function RangeFields({ range, onRange }: RangeFieldsProps) {
  const name = nameOfRange(range);
  const minute = (end: keyof Range) => (
    <label>
      {end === "from" ? "From" : "To"}
      <input
        type="datetime-local"
        value={minuteOf(range[end])}
        onChange={({ currentTarget }) => onRange({ [end]: timeOfMinute(currentTarget.value, end) })}
      />
    </label>
  );
  return (
    <>
      <Select
        label="Range"
        value={name}
        options={ranges}
        onChange={(chosen) => onRange(rangeNamed(chosen))}
      />
      {name === "day" && (
        <label>
          Day
          <input
            type="date"
            value={dayOf(range.from)}
            onChange={({ currentTarget }) => onRange(rangeOfDay(currentTarget.value))}
          />
        </label>
      )}
      {name === "times" && [minute("from"), minute("until")]}
    </>
  );
}
