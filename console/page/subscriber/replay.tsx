import { useState } from "preact/hooks";
import type { StackView } from "../../routes/stack-routes.ts";
import { Meaning } from "../parts/meaning.tsx";
import { ChangeButton } from "../parts/report.tsx";
import { ReadOnly } from "../parts/states.tsx";

const kinds = { order: "An order", payment: "A payment's refunds", time: "A time" } as const;
type Kind = keyof typeof kinds;

/** What the form says about the events to replay. What belongs to another choice is kept, so that nothing is typed twice. */
interface Asked {
  readonly by: Kind;
  readonly order: string;
  readonly payment: string;
  /** As the browser's field writes it, in the user's own time zone. */
  readonly since: string;
  readonly until: string;
  readonly rate: number;
}

interface ReplayProps {
  readonly name: string;
  readonly stack: StackView;
}

/** Sends recorded events to this subscriber again. */
export function Replay({ name, stack }: ReplayProps) {
  const [asked, setAsked] = useState<Asked>(firstAsked);
  const change = (news: Partial<Asked>) => setAsked({ ...asked, ...news });
  return (
    <section class="card">
      <h2>
        Replay to {name} <Meaning of="replay" />
      </h2>
      <p class="quiet">
        Sends recorded events again, the same bytes in the same order. Consumers recognise what they
        have by its id.
      </p>
      <ReadOnly stack={stack} />
      <Choices asked={asked} onChange={change} />
      <div class="tools">
        <Fields asked={asked} onChange={change} />
        <ChangeButton
          label="Preview …"
          path="/api/replay"
          input={() => ({ to: name, ...inputOf(asked) })}
          fault={faultOf(asked)}
        />
      </div>
    </section>
  );
}

const hourMilliseconds = 3_600_000;

function firstAsked(): Asked {
  const hourAgo = Date.now() - hourMilliseconds;
  const offset = new Date(hourAgo).getTimezoneOffset() * 60_000;
  const since = new Date(hourAgo - offset).toISOString().slice(0, 16);
  return { by: "order", order: "", payment: "", since, until: "", rate: 50 };
}

/** What is missing, in words. */
function faultOf({ by, order, payment, since }: Asked): string | undefined {
  if (by === "order" && order === "") return "Give the order number.";
  if (by === "payment" && payment === "") return "Give the payment id.";
  return by === "time" && since === "" ? "Give the time at which it begins." : undefined;
}

function inputOf({ by, order, payment, since, until, rate }: Asked): object {
  if (by === "order") return { order, rate };
  return by === "payment" ? { payment, rate } : { since: utc(since), until: utc(until), rate };
}

function utc(text: string): string | undefined {
  return text === "" ? undefined : new Date(text).toISOString();
}

interface FieldsProps {
  readonly asked: Asked;
  readonly onChange: (news: Partial<Asked>) => void;
}

function Choices({ asked, onChange }: FieldsProps) {
  return (
    <fieldset class="choices">
      <legend class="hidden">Which events</legend>
      {Object.entries(kinds).map(([by, label]) => (
        <label key={by}>
          <input
            type="radio"
            name="by"
            checked={asked.by === by}
            onChange={() => isKind(by) && onChange({ by })}
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}

function isKind(text: string): text is Kind {
  return Object.hasOwn(kinds, text);
}

/** The rate is always asked for: consumers may be slower than SQS. */
function Fields({ asked: { by, order, payment, since, until, rate }, onChange }: FieldsProps) {
  return (
    <>
      {by === "order" && (
        <TextField
          label="Order number"
          value={order}
          onText={(text) => onChange({ order: text })}
        />
      )}
      {by === "payment" && (
        <TextField
          label="Payment id"
          value={payment}
          onText={(text) => onChange({ payment: text })}
        />
      )}
      {by === "time" && (
        <>
          <TimeField
            label="From, in your time zone"
            value={since}
            onText={(text) => onChange({ since: text })}
          />
          <TimeField
            label="Until; empty means now"
            value={until}
            onText={(text) => onChange({ until: text })}
          />
        </>
      )}
      <label class="short">
        Events a second
        <input
          type="number"
          min={1}
          max={500}
          value={rate}
          onInput={({ currentTarget }) => onChange({ rate: currentTarget.valueAsNumber })}
        />
      </label>
    </>
  );
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onText: (value: string) => void;
}

function TextField({ label, value, onText }: FieldProps) {
  return (
    <label>
      {label}
      <input
        value={value}
        maxLength={64}
        autocomplete="off"
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
    </label>
  );
}

function TimeField({ label, value, onText }: FieldProps) {
  return (
    <label>
      {label}
      <input
        type="datetime-local"
        value={value}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
    </label>
  );
}
