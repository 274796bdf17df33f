import { useEffect, useRef, useState } from "preact/hooks";
import { paymentStatuses } from "../../../../shared/facts/event-types.ts";
import { flags } from "../../../../shared/facts/flags.ts";
import { Field, FilterSelect, Select, setFilter } from "../parts/fields.tsx";
import { flagName } from "../parts/flags.tsx";
import { Meaning } from "../parts/meaning.tsx";
import { type Query, usePlace } from "../router.tsx";
import { useStack } from "../use-view.ts";
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

/** The filter of the list, and where the page begins. */
export function filterOf({ from, until, text, after, status, merchant, flag }: Query): Query {
  return { from, until, text, after, status, merchant, flag };
}

/** Whether the filter may exclude orders of the range. */
export function isNarrow({ text, status, merchant, flag }: Query): boolean {
  return [text, status, merchant, flag].some((value) => value !== undefined);
}

const statuses = [...paymentStatuses, "refused"];

export function FilterFields() {
  const { from = "", until = "", text = "" } = usePlace().query;
  const { merchants } = useStack();
  const flagOptions = flags.map((flag) => [flag, flagName(flag)] as const);
  return (
    <div class="filters">
      <TextField text={text} onText={(typed) => setFilter({ text: typed })} />
      <RangeFields range={{ from, until }} onRange={setFilter} />
      <FilterSelect
        name="status"
        label="Status"
        all="Any"
        options={statuses.map((option) => [option, option])}
      />
      <span class="explained">
        <FilterSelect
          name="flag"
          label="Flag"
          all="With or without"
          options={[["any", "Any flag"], ...flagOptions]}
        />
        <Meaning of="flag" />
      </span>
      {merchants.length > 1 && (
        <FilterSelect
          name="merchant"
          label="Merchant"
          all="All"
          options={merchants.map((option) => [option, option])}
        />
      )}
    </div>
  );
}

/** Debounces typing. */
const pauseMilliseconds = 300;

function TextField({ text, onText }: { readonly text: string; onText: (text: string) => void }) {
  const [typed, setTyped] = useState(text);
  const sent = useRef(text);
  const latest = useRef(onText);
  latest.current = onText;
  // Something else than this field changed the URL.
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
    <Field
      label="Order number"
      type="search"
      value={typed}
      maxLength={200}
      placeholder="Any part of it"
      onText={setTyped}
    />
  );
}

interface RangeFieldsProps {
  readonly range: Range;
  readonly onRange: (changed: Query) => void;
}

function RangeFields({ range, onRange }: RangeFieldsProps) {
  const name = nameOfRange(range);
  const minute = (end: keyof Range) => (
    <Field
      label={end === "from" ? "From, UTC" : "To, UTC"}
      type="datetime-local"
      value={minuteOf(range[end])}
      onChange={({ currentTarget }) => onRange({ [end]: timeOfMinute(currentTarget.value, end) })}
    />
  );
  return (
    <>
      <Select
        label="Range"
        value={name}
        options={ranges}
        onChange={(chosen) => onRange({ ...rangeNamed(chosen) })}
      />
      {name === "day" && (
        <Field
          label="Day, UTC"
          type="date"
          value={dayOf(range.from)}
          onChange={({ currentTarget }) => onRange({ ...rangeOfDay(currentTarget.value) })}
        />
      )}
      {name === "times" && [minute("from"), minute("until")]}
    </>
  );
}
