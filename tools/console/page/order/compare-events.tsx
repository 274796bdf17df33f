import { useState } from "preact/hooks";
import { counted } from "../../../../shared/text/number-text.ts";
import type { ReceiptEntry } from "../../../operations/timeline/receipt-entry.ts";
import type { WholeTimeline } from "../../../operations/timeline/whole-timeline.ts";
import { Details, Outside } from "../parts/elements.tsx";
import { Select } from "../parts/fields.tsx";
import { Table } from "../parts/table.tsx";
import { wholeTime } from "../parts/time.tsx";

interface OrderEvent {
  readonly name: string;
  readonly event: unknown;
}

/** Two events of the order side by side, field by field. */
export function CompareEvents({ entries }: Pick<WholeTimeline, "entries">) {
  const events = entries.flatMap((entry) => (entry.kind === "receipt" ? eventsOf(entry) : []));
  if (events.length < 2) return null;
  return <Details summary="Compare two events">{() => <Comparison events={events} />}</Details>;
}

function eventsOf({ at, type, published }: ReceiptEntry): OrderEvent[] {
  if (published === undefined) return [];
  const { sequence, event } = published;
  return [{ name: `${type}, sequence ${sequence}, ${wholeTime(at)}`, event }];
}

/** Starts with the two newest. */
function Comparison({ events }: { readonly events: readonly OrderEvent[] }) {
  const [left, setLeft] = useState(events.length - 2);
  const [right, setRight] = useState(events.length - 1);
  const [isWhole, setWhole] = useState(false);
  const fields = compareFields(events[left]?.event, events[right]?.event);
  const same = fields.filter(({ isSame }) => isSame).length;
  const options = events.map(({ name }, at) => [String(at), name] as const);
  const choice = (chosen: number, choose: (at: number) => void) => ({
    value: String(chosen),
    options,
    onChange: (at?: string) => choose(Number(at)),
  });
  return (
    <>
      <div class="filters">
        <Select label="Left" {...choice(left, setLeft)} />
        <Select label="Right" {...choice(right, setRight)} />
        <label>
          <input
            type="checkbox"
            checked={isWhole}
            onChange={({ currentTarget }) => setWhole(currentTarget.checked)}
          />
          Show {counted(same, "equal field")}
        </label>
      </div>
      <FieldTable fields={fields} isWhole={isWhole} />
    </>
  );
}

interface FieldTableProps {
  readonly fields: readonly ComparedField[];
  /** Includes equal fields. */
  readonly isWhole: boolean;
}

function FieldTable({ fields, isWhole }: FieldTableProps) {
  const shown = isWhole ? fields : fields.filter(({ isSame }) => !isSame);
  if (shown.length === 0) return <p>The events are equal.</p>;
  return (
    <Table
      class="compared"
      rows={shown}
      idOf={({ path }) => path}
      rowClass={({ isSame }) => (isWhole && !isSame ? "differs" : undefined)}
      columns={[
        { head: "Field", cell: ({ path }) => <code>{path}</code> },
        { head: "Left", cell: ({ left }) => <Value text={left} /> },
        { head: "Right", cell: ({ right }) => <Value text={right} /> },
      ]}
    />
  );
}

function Value({ text }: { readonly text: string | undefined }) {
  return text === undefined ? <span class="quiet">absent</span> : <Outside text={text} />;
}

/** A field of two JSON values. `left` and `right` are its value as text; undefined if it is absent. */
interface ComparedField {
  /** "data.order.status", "data.flags[0]" */
  readonly path: string;
  readonly left: string | undefined;
  readonly right: string | undefined;
  readonly isSame: boolean;
}

/** Every field of two JSON values, in the order of the first, then the fields that only the second has. */
function compareFields(earlier: unknown, later: unknown): ComparedField[] {
  const [lefts, rights] = [fieldsOf(earlier), fieldsOf(later)];
  const paths = new Set([...lefts.keys(), ...rights.keys()]);
  return [...paths].map((path) => {
    const [left, right] = [lefts.get(path), rights.get(path)];
    return { path, left, right, isSame: left === right };
  });
}

/** The leaves by their path. An empty object or list is a leaf too. */
function fieldsOf(value: unknown, path = ""): Map<string, string> {
  const isNode = typeof value === "object" && value !== null && Object.keys(value).length > 0;
  if (!isNode) return new Map([[path, typeof value === "string" ? value : JSON.stringify(value)]]);
  const isList = Array.isArray(value);
  return new Map(
    Object.entries(value).flatMap(([name, inner]) => {
      const step = isList ? `[${name}]` : path === "" ? name : `.${name}`;
      return [...fieldsOf(inner, `${path}${step}`)];
    }),
  );
}
