import { useState } from "preact/hooks";
import type { FormInput } from "../../../operations/described/command-line.ts";
import { minuteOf } from "../orders/range.ts";
import { ChangeButton } from "../parts/buttons.tsx";
import { Field } from "../parts/fields.tsx";
import { Meaning } from "../parts/meaning.tsx";
import { ReadOnly } from "../parts/states.tsx";
import { stackNow } from "../stack-time.ts";

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
  readonly rate: string;
}

/** Sends recorded events to this subscriber again. */
export function Replay({ name }: { readonly name: string }) {
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
      <ReadOnly />
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
  const since = minuteOf(new Date(stackNow() - hourMilliseconds).toISOString());
  return { by: "order", order: "", payment: "", since, until: "", rate: "50" };
}

/** What is missing, in words. */
function faultOf({ by, order, payment, since }: Asked): string | undefined {
  if (by === "order" && order === "") return "Give the order number.";
  if (by === "payment" && payment === "") return "Give the payment id.";
  return by === "time" && since === "" ? "Give the time at which it begins." : undefined;
}

function inputOf({ by, order, payment, since, until, ...asked }: Asked): FormInput {
  const rate = Number(asked.rate);
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
function Fields({ asked, onChange }: FieldsProps) {
  const field = (name: keyof Asked) => ({
    value: asked[name],
    onText: (text: string) => onChange({ [name]: text }),
  });
  return (
    <>
      {asked.by === "order" && <Field label="Order number" maxLength={64} {...field("order")} />}
      {asked.by === "payment" && <Field label="Payment id" maxLength={64} {...field("payment")} />}
      {asked.by === "time" && (
        <>
          <Field label="From, in your time zone" type="datetime-local" {...field("since")} />
          <Field label="Until; empty means now" type="datetime-local" {...field("until")} />
        </>
      )}
      <Field
        class="short"
        label="Events a second"
        type="number"
        min={1}
        max={500}
        {...field("rate")}
      />
    </>
  );
}
