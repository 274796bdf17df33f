import { useState } from "preact/hooks";
import type { FormInput } from "../../../operations/described/command-line.ts";
import { ChangeButton } from "../parts/buttons.tsx";
import { useOperation } from "../parts/command.tsx";
import { ReadOnly } from "../parts/states.tsx";
import { FormFields, type FormValues, inputOf } from "./form.tsx";

interface ChangeFormProps {
  /** The path of the operation, such as "/api/replay". */
  readonly path: string;
  /** The fields that the page knows already. */
  readonly given: FormInput;
  /** What the command does, for its copy on a deployed stack. */
  readonly label: string;
}

/** A described change with a form: a preview on the local stack, the command as it is filled in on a deployed one. */
export function ChangeForm({ path, given, label }: ChangeFormProps) {
  const [values, setValues] = useState<FormValues>({});
  const fields = useOperation(path).fields.filter(({ name }) => !(name in given));
  return (
    <>
      <ReadOnly />
      <FormFields
        fields={fields}
        values={values}
        onChange={(name, value) => setValues({ ...values, [name]: value })}
      />
      <ChangeButton
        label={label}
        path={path}
        input={() => ({ ...given, ...inputOf(fields, values) })}
      />
    </>
  );
}
