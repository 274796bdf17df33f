interface SelectProps {
  readonly label: string;
  /** The choice of everything, if there is one. */
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
