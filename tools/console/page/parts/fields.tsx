import type { PartialInputHTMLAttributes } from "preact";
import { useState } from "preact/hooks";
import { type Query, setQuery, usePlace } from "../router.tsx";

type Attributes = PartialInputHTMLAttributes<HTMLInputElement>;
type Given = "name" | "min" | "max" | "maxLength" | "placeholder" | "required" | "inputMode";

interface FieldProps extends Pick<Attributes, Given | "value" | "defaultValue" | "onChange"> {
  readonly label: string;
  readonly class?: string;
  readonly type?: "text" | "search" | "number" | "date" | "datetime-local";
  /** The id of a datalist. */
  readonly list?: string;
  /** Called on every keystroke. */
  readonly onText?: (text: string) => void;
}

/** A field with its label. */
export function Field({ label, onText, class: look, type = "text", ...input }: FieldProps) {
  return (
    <label class={look}>
      {label}
      <input
        type={type}
        autocomplete="off"
        onInput={({ currentTarget }) => onText?.(currentTarget.value)}
        {...input}
      />
    </label>
  );
}

interface SelectProps {
  readonly label: string;
  /** The option for "all", if there is one. */
  readonly all?: string;
  readonly value: string | undefined;
  readonly options: readonly (readonly [value: string, title: string])[];
  readonly onChange: (value: string | undefined) => void;
}

export function Select({ label, all, value, options, onChange }: SelectProps) {
  return (
    <label>
      {label}
      <select
        value={value ?? ""}
        onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
      >
        {all !== undefined && <option value="">{all}</option>}
        {options.map(([name, title]) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}

interface FilterSelectProps extends Omit<SelectProps, "value" | "onChange"> {
  /** Its name in the URL. */
  readonly name: string;
}

/** A select that filters a list. The URL holds its value. */
export function FilterSelect({ name, ...props }: FilterSelectProps) {
  const value = usePlace().query[name];
  return <Select {...props} value={value} onChange={(next) => setFilter({ [name]: next })} />;
}

/** Clears the position in the list and the open row, which belong to the previous filter. */
export function setFilter(changed: Query): void {
  setQuery({ after: undefined, open: undefined, ...changed });
}

/** The selected rows of a list, by id. */
export interface Choice {
  readonly chosen: ReadonlySet<string>;
  readonly choose: (ids: readonly string[], isChosen: boolean) => void;
  readonly clear: () => void;
}

/** Only rows that are still in the list count as selected. */
export function useChoice(ids: readonly string[]): Choice {
  const [all, setAll] = useState<ReadonlySet<string>>(new Set());
  const chosen = new Set(ids.filter((id) => all.has(id)));
  return {
    chosen,
    choose: (some, isChosen) => {
      const next = new Set(chosen);
      for (const id of some) {
        if (isChosen) next.add(id);
        else next.delete(id);
      }
      setAll(next);
    },
    clear: () => setAll(new Set()),
  };
}

interface ChooseProps {
  readonly choice: Choice;
  /** The rows that this checkbox selects: one, or all that are listed. */
  readonly ids: readonly string[];
  readonly label: string;
}

export function Choose({ choice: { chosen, choose }, ids, label }: ChooseProps) {
  const isChosen = ids.length > 0 && ids.every((id) => chosen.has(id));
  return (
    <input
      type="checkbox"
      class="choose"
      aria-label={label}
      checked={isChosen}
      onChange={() => choose(ids, !isChosen)}
    />
  );
}
