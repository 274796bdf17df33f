import { useState } from "preact/hooks";
import type { ReplayPreview } from "../../routes/replay-routes.ts";
import type { StackView } from "../../routes/stack-routes.ts";
import { PreviewButton } from "../parts/preview-button.tsx";
import { ReadOnly } from "../parts/read-only.tsx";
import { addressOf } from "../router.tsx";
import { ReplayText } from "./replay-preview.tsx";
import { counted } from "./words.ts";

interface ReplayProps {
  readonly name: string;
  readonly stack: StackView;
}

type By = "order" | "payment" | "time";

interface Asked {
  readonly by: By;
  readonly orderNo: string;
  readonly paymentId: string;
  /** As the browser's field writes it, in the user's own time zone. */
  readonly since: string;
  readonly until: string;
  readonly eventsPerSecond: number;
}

/** Sends recorded events to this subscriber again. */
export function Replay({ name, stack }: ReplayProps) {
  const [asked, setAsked] = useState<Asked>(firstAsked);
  return (
    <section class="card">
      <h2>Replay to {name}</h2>
      <p class="quiet">
        Sends recorded events again, the same bytes in the same order. Consumers recognise what they
        have by its id.
      </p>
      <ReadOnly stack={stack} what="replay" />
      <fieldset class="choices">
        <legend class="hidden">Which events</legend>
        {choices.map(([by, label]) => (
          <label key={by}>
            <input
              type="radio"
              name="by"
              checked={asked.by === by}
              onChange={() => setAsked({ ...asked, by })}
            />
            {label}
          </label>
        ))}
      </fieldset>
      <div class="tools">
        <Fields asked={asked} onChange={(news) => setAsked({ ...asked, ...news })} />
        <label class="short">
          Events a second
          <input
            type="number"
            min={1}
            max={500}
            value={asked.eventsPerSecond}
            onInput={({ currentTarget: { valueAsNumber: eventsPerSecond } }) =>
              setAsked({ ...asked, eventsPerSecond })
            }
          />
        </label>
        <PreviewButton<ReplayPreview>
          label="Preview …"
          previewPath={addressOf(["api", "subscribers", name, "replay", "preview"])}
          body={() => bodyOf(asked)}
          path="/api/replays"
          title={`Replay to ${name}`}
          yes={({ count }) =>
            count === 0 || !stack.canChange ? undefined : `Send ${counted(count, "event")}`
          }
        >
          {(preview) => <ReplayText preview={preview} name={name} />}
        </PreviewButton>
      </div>
    </section>
  );
}

const choices: readonly (readonly [By, string])[] = [
  ["order", "An order"],
  ["payment", "A payment's refunds"],
  ["time", "A time"],
];

const hourMilliseconds = 3_600_000;

function firstAsked(): Asked {
  const since = localText(Date.now() - hourMilliseconds);
  return { by: "order", orderNo: "", paymentId: "", since, until: "", eventsPerSecond: 50 };
}

interface FieldsProps {
  readonly asked: Asked;
  readonly onChange: (news: Partial<Asked>) => void;
}

function Fields({ asked, onChange }: FieldsProps) {
  switch (asked.by) {
    case "order":
      return (
        <TextField
          label="Order number"
          value={asked.orderNo}
          onInput={(orderNo) => onChange({ orderNo })}
        />
      );
    case "payment":
      return (
        <TextField
          label="Payment id"
          value={asked.paymentId}
          onInput={(paymentId) => onChange({ paymentId })}
        />
      );
    case "time":
      return (
        <>
          <TimeField
            label="From, in your time zone"
            value={asked.since}
            onInput={(since) => onChange({ since })}
          />
          <TimeField
            label="Until; empty means now"
            value={asked.until}
            onInput={(until) => onChange({ until })}
          />
        </>
      );
  }
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
}

function TextField({ label, value, onInput }: FieldProps) {
  return (
    <label>
      {label}
      <input
        value={value}
        maxLength={64}
        autocomplete="off"
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
    </label>
  );
}

function TimeField({ label, value, onInput }: FieldProps) {
  return (
    <label>
      {label}
      <input
        type="datetime-local"
        value={value}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
    </label>
  );
}

function bodyOf(asked: Asked): object {
  const { by, orderNo, paymentId, since, until, eventsPerSecond } = asked;
  switch (by) {
    case "order":
      return { by, orderNo, eventsPerSecond };
    case "payment":
      return { by, paymentId, eventsPerSecond };
    case "time":
      return { by, since: utc(since), until: utc(until), eventsPerSecond };
  }
}

function utc(text: string): string | undefined {
  return text === "" ? undefined : new Date(text).toISOString();
}

function localText(milliseconds: number): string {
  const offset = new Date(milliseconds).getTimezoneOffset() * 60_000;
  return new Date(milliseconds - offset).toISOString().slice(0, 16);
}
