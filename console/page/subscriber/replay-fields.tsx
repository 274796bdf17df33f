import type { Asked, By } from "./asked.ts";

interface FieldsProps {
  readonly asked: Asked;
  readonly onChange: (news: Partial<Asked>) => void;
}

const choices: readonly (readonly [By, string])[] = [
  ["order", "An order"],
  ["payment", "A payment's refunds"],
  ["time", "A time"],
];

export function Choices({ asked, onChange }: FieldsProps) {
  return (
    <fieldset class="choices">
      <legend class="hidden">Which events</legend>
      {choices.map(([by, label]) => (
        <label key={by}>
          <input
            type="radio"
            name="by"
            checked={asked.by === by}
            onChange={() => onChange({ by })}
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}

export function Fields({ asked, onChange }: FieldsProps) {
  const { by, orderNo, paymentId } = asked;
  switch (by) {
    case "order":
      return (
        <TextField
          label="Order number"
          value={orderNo}
          onInput={(text) => onChange({ orderNo: text })}
        />
      );
    case "payment":
      return (
        <TextField
          label="Payment id"
          value={paymentId}
          onInput={(text) => onChange({ paymentId: text })}
        />
      );
    case "time":
      return <TimeFields asked={asked} onChange={onChange} />;
  }
}

function TimeFields({ asked: { since, until }, onChange }: FieldsProps) {
  return (
    <>
      <TimeField
        label="From, in your time zone"
        value={since}
        onInput={(text) => onChange({ since: text })}
      />
      <TimeField
        label="Until; empty means now"
        value={until}
        onInput={(text) => onChange({ until: text })}
      />
    </>
  );
}

/** Consumers may be slower than SQS. */
export function Rate({ asked, onChange }: FieldsProps) {
  return (
    <label class="short">
      Events a second
      <input
        type="number"
        min={1}
        max={500}
        value={asked.eventsPerSecond}
        onInput={({ currentTarget: { valueAsNumber: eventsPerSecond } }) =>
          onChange({ eventsPerSecond })
        }
      />
    </label>
  );
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
