import { useState } from "preact/hooks";
import { counted } from "../../../../shared/number-text.ts";
import type { FormInput } from "../../../operations/described/command-line.ts";
import type { ListedRun, RunList } from "../../../operations/replay/replay.ts";
import { minuteOf } from "../orders/range.ts";
import { ChangeButton } from "../parts/buttons.tsx";
import { Badge, Id, Outside, type Tone } from "../parts/elements.tsx";
import { Field } from "../parts/fields.tsx";
import { Meaning } from "../parts/meaning.tsx";
import { ReadOnly, Shown } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";
import { Ago, DateTime } from "../parts/time.tsx";
import { addressOf } from "../router.tsx";
import { useView } from "../use-view.ts";

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
  const since = minuteOf(new Date(Date.now() - hourMilliseconds).toISOString());
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

const mostShown = 20;

/** The replays that were started in this folder, here or with the command. */
export function Runs({ name }: { readonly name: string }) {
  const view = useView<RunList>(addressOf(["api", "replay", "list"], { to: name }));
  if (view.data?.runs.length === 0 && view.problem === undefined) return null;
  return (
    <section class="card">
      <h2>Sent so far</h2>
      <Shown view={view} what="the replays">
        {({ runs }) => <RunTable runs={runs.slice(0, mostShown)} />}
      </Shown>
    </section>
  );
}

const tones: Readonly<Record<ListedRun["state"], Tone>> = {
  finished: "good",
  running: "open",
  interrupted: "bad",
};

function RunTable({ runs }: RunList) {
  return (
    <Table
      rows={runs}
      idOf={({ run }) => run}
      columns={[
        { head: "Started", look: "number", cell: ({ startedAt }) => <Ago at={startedAt} /> },
        { head: "Events of", cell: (run) => <Selection run={run} /> },
        {
          head: "Done",
          look: "number",
          cell: ({ position, events }) => `${position} of ${events}`,
        },
        { head: "State", cell: (run) => <State run={run} /> },
        { head: "Run", cell: ({ run }) => <Id text={run} what="run" /> },
      ]}
    />
  );
}

function State({ run: { run, state } }: { readonly run: ListedRun }) {
  const input = () => ({ resume: run });
  return (
    <span class="line">
      <Badge tone={tones[state]}>{state}</Badge>
      {state === "interrupted" && (
        <ChangeButton label="Resume …" path="/api/replay" input={input} />
      )}
    </span>
  );
}

function Selection({ run: { selection } }: { readonly run: ListedRun }) {
  const { orderNo, paymentId, since, until, events } = selection;
  if (orderNo !== undefined) return <Outside text={`order ${orderNo}`} />;
  if (paymentId !== undefined) return <Outside text={`payment ${paymentId}`} />;
  if (events !== undefined) return <>{counted(events.length, "event id")}</>;
  if (since === undefined) return <>everything recorded</>;
  return (
    <span>
      <DateTime at={since} /> to <DateTime at={until} />
    </span>
  );
}
