import { useState } from "preact/hooks";
import { minuteOf } from "../orders/range.ts";

interface InputProps {
  readonly value: string | boolean | undefined;
  readonly onChange: (value: string) => void;
  readonly ids: { readonly id: string; readonly "aria-describedby": string };
}

interface SelectProps extends InputProps {
  readonly options: readonly (readonly [value: string, title: string])[];
}

/** One of several values, or none. */
export function SelectInput({ value, onChange, ids, options }: SelectProps) {
  return (
    <select
      value={typeof value === "string" ? value : ""}
      {...ids}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    >
      <option value="">–</option>
      {options.map(([name, title]) => (
        <option key={name} value={name}>
          {title}
        </option>
      ))}
    </select>
  );
}

const ages = [
  ["15m", "15 minutes ago"],
  ["1h", "an hour ago"],
  ["1d", "a day ago"],
  ["7d", "a week ago"],
] as const;
const other = "other";

/** A relative time, or an exact time in UTC. */
export function TimeInput(props: InputProps & { readonly label: string }) {
  const { value, onChange, label } = props;
  const text = typeof value === "string" ? value : "";
  const isAge = text === "" || ages.some(([age]) => age === text);
  const [isExact, setExact] = useState(!isAge);
  const choose = (chosen: string) => {
    setExact(chosen === other);
    onChange(chosen === other ? "" : chosen);
  };
  return (
    <>
      <SelectInput
        {...props}
        value={isExact ? other : text}
        onChange={choose}
        options={[...ages, [other, "another time, UTC …"]]}
      />
      {isExact && (
        <input
          type="datetime-local"
          aria-label={`${label}, in UTC`}
          value={text === "" ? "" : minuteOf(text)}
          onChange={({ currentTarget }) => onChange(utc(currentTarget.value))}
        />
      )}
    </>
  );
}

function utc(minute: string): string {
  return minute === "" ? "" : new Date(`${minute}Z`).toISOString();
}
