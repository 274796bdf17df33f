import { useId, useState } from "preact/hooks";
import type { FormInput } from "../../../operations/described/command-line.ts";
import type { InputField } from "../../../operations/described/input-fields.ts";
import { Details } from "../parts/elements.tsx";
import { capitalized } from "../parts/report.tsx";
import { SelectInput, TimeInput } from "./select-input.tsx";

/** The values of the fields. An untouched field has no value. */
export type FormValues = Readonly<Record<string, string | boolean>>;

interface FormProps {
  readonly fields: readonly InputField[];
  readonly values: FormValues;
  readonly onChange: (name: string, value: string | boolean) => void;
  /** Applies a value on commit, not on every keystroke. */
  readonly isFilter?: boolean;
  /** Suggestions by field. */
  readonly proposals?: Readonly<Record<string, readonly string[]>>;
}

/** The fields of an operation's input. Rarely needed fields are collapsed. */
export function FormFields(props: FormProps) {
  const { fields, values, onChange, isFilter = false, proposals = {} } = props;
  const list = (some: readonly InputField[]) => (
    <div class={isFilter ? "form-fields filter" : "form-fields"}>
      {some.map((field) => (
        <FormField
          key={field.name}
          field={field}
          value={values[field.name]}
          onChange={(value) => onChange(field.name, value)}
          isLazy={isFilter}
          proposals={proposals[field.name]}
        />
      ))}
    </div>
  );
  const rare = fields.filter(({ isRare }) => isRare);
  return (
    <>
      {list(fields.filter(({ isRare }) => !isRare))}
      {rare.length > 0 && <Details summary="More options">{() => list(rare)}</Details>}
    </>
  );
}

/** The operation's input from the fields. Omits empty fields. */
export function inputOf(fields: readonly InputField[], values: FormValues): FormInput {
  const given = fields.flatMap(({ name, type }) => {
    const value = values[name];
    if (value === undefined || value === "" || value === false) return [];
    const isList = type === "array" && typeof value === "string";
    return [[name, isList ? value.split(/[\s,]+/).filter((text) => text !== "") : value] as const];
  });
  return Object.fromEntries(given);
}

interface FieldProps {
  readonly field: InputField;
  readonly value: string | boolean | undefined;
  readonly onChange: (value: string | boolean) => void;
  readonly isLazy: boolean;
  readonly proposals: readonly string[] | undefined;
}

function FormField(props: FieldProps) {
  const { field } = props;
  const ids = { id: useId(), "aria-describedby": useId() };
  const label = <label htmlFor={ids.id}>{labelOf(field)}</label>;
  return (
    <div class="form-field">
      {field.type !== "boolean" && label}
      <Input {...props} ids={ids} />
      {field.type === "boolean" && label}
      <span class="quiet hint" id={ids["aria-describedby"]}>
        {hintOf(field)}
      </span>
    </div>
  );
}

/** "withoutRefunds" becomes "Without refunds". */
function labelOf({ option }: Pick<InputField, "option">): string {
  return capitalized(option.replaceAll("-", " "));
}

/** Descriptions name other fields by their command-line option. */
function hintOf({ description, type }: InputField): string {
  const text = description.replace(/--([a-z-]+)/g, (_match, option) => `“${labelOf({ option })}”`);
  return capitalized(type === "array" ? `${text}; separate several with spaces` : text);
}

interface InputProps extends FieldProps {
  readonly ids: { readonly id: string; readonly "aria-describedby": string };
}

function Input(props: InputProps) {
  const { field, value, onChange, ids } = props;
  if (field.type === "boolean") {
    const toggle = () => onChange(value !== true);
    return <input type="checkbox" checked={value === true} onChange={toggle} {...ids} />;
  }
  if (field.placeholder === "TIME") return <TimeInput {...props} label={labelOf(field)} />;
  if (field.enum !== undefined) {
    return <SelectInput {...props} options={field.enum.map((name) => [name, name])} />;
  }
  return <Typed {...props} />;
}

/** The page re-renders while the user types, so the uncommitted text is kept here. */
function Typed({ field, value, onChange, isLazy, proposals, ids }: InputProps) {
  const [typed, setTyped] = useState<string>();
  const finish = (text: string) => {
    setTyped(undefined);
    onChange(text.trim());
  };
  const common = {
    ...ids,
    autocomplete: "off",
    value: typed ?? (typeof value === "string" ? value : ""),
    placeholder: typeof field.default === "number" ? String(field.default) : "",
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
      isLazy ? setTyped(currentTarget.value) : onChange(currentTarget.value),
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
      isLazy && finish(currentTarget.value),
  };
  const listId = `${ids.id}-list`;
  if (field.type === "integer") {
    return <input type="number" min={field.minimum ?? ""} max={field.maximum ?? ""} {...common} />;
  }
  if (proposals === undefined) return <input type="text" maxLength={256} {...common} />;
  return (
    <>
      <input type="text" maxLength={256} list={listId} {...common} />
      <datalist id={listId}>
        {proposals.map((text) => (
          <option key={text} value={text} />
        ))}
      </datalist>
    </>
  );
}
