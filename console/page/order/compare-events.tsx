import { useState } from "preact/hooks";
import type { ReceiptEntry } from "../../../operations/timeline/receipt-entry.ts";
import type { WholeTimeline } from "../../../operations/timeline/whole-timeline.ts";
import { counted } from "../../../shared/counted.ts";
import { Details } from "../parts/details.tsx";
import { Outside } from "../parts/outside.tsx";
import { localTime } from "../parts/time.tsx";
import { type ComparedField, compareFields } from "./compare-fields.ts";

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
  return [{ name: `${type}, sequence ${sequence}, ${localTime(at)}`, event }];
}

/** The two newest first. */
function Comparison({ events }: { readonly events: readonly OrderEvent[] }) {
  const [left, setLeft] = useState(events.length - 2);
  const [right, setRight] = useState(events.length - 1);
  const [isWhole, setWhole] = useState(false);
  const fields = compareFields(events[left]?.event, events[right]?.event);
  const same = fields.filter(({ isSame }) => isSame).length;
  return (
    <>
      <div class="filters">
        <Choice label="Left" events={events} chosen={left} onChoose={setLeft} />
        <Choice label="Right" events={events} chosen={right} onChoose={setRight} />
        <label class="check">
          <input
            type="checkbox"
            checked={isWhole}
            onChange={({ currentTarget }) => setWhole(currentTarget.checked)}
          />
          also the {counted(same, "field")} that are equal
        </label>
      </div>
      <FieldTable fields={fields} isWhole={isWhole} />
    </>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly events: readonly OrderEvent[];
  readonly chosen: number;
  readonly onChoose: (at: number) => void;
}

function Choice({ label, events, chosen, onChoose }: ChoiceProps) {
  return (
    <label>
      {label}
      <select
        value={String(chosen)}
        onChange={({ currentTarget }) => onChoose(Number(currentTarget.value))}
      >
        {events.map(({ name }, at) => (
          <option key={at} value={String(at)}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

interface FieldTableProps {
  readonly fields: readonly ComparedField[];
  /** Also the fields that are equal. */
  readonly isWhole: boolean;
}

function FieldTable({ fields, isWhole }: FieldTableProps) {
  const shown = isWhole ? fields : fields.filter(({ isSame }) => !isSame);
  if (shown.length === 0) return <p>The two are equal.</p>;
  return (
    <table class="compared">
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Left</th>
          <th scope="col">Right</th>
        </tr>
      </thead>
      <tbody>
        {shown.map(({ path, left, right, isSame }) => (
          <tr key={path} class={isWhole && !isSame ? "differs" : ""}>
            <td data-label="Field">
              <code>{path}</code>
            </td>
            <Value label="Left" text={left} />
            <Value label="Right" text={right} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Value({ label, text }: { readonly label: string; readonly text: string | undefined }) {
  return (
    <td data-label={label}>
      {text === undefined ? <span class="quiet">not there</span> : <Outside text={text} />}
    </td>
  );
}
