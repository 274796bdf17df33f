import { useState } from "preact/hooks";
import type { FormInput } from "../../../operations/described/command-line.ts";
import { ChangeButton } from "../parts/buttons.tsx";
import { useOperation } from "../parts/command.tsx";
import { ReadOnly } from "../parts/states.tsx";
import { FormFields, type FormValues, inputOf } from "./form.tsx";

interface ChangeFormProps {
  /** The path of the operation, such as "/api/replay". */
  readonly path: string;
  /** Fields that the page fills in itself. */
  readonly given: FormInput;
  /** The button's label, and the purpose of the command on a deployed stack. */
  readonly label: string;
}

/** A described change with a form: a preview on the local stack, the complete command on a deployed one. */
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
