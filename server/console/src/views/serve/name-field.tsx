/** An endpoint's name, which is part of its address. */

import { Field, faultAt } from "../../ui/field.tsx";

interface NameFieldProps {
  readonly value: string;
  readonly onChange: (name: string) => void;
  readonly hint: string;
  /** Of the request that was refused. */
  readonly error: unknown;
}

export function NameField({ value, onChange, hint, error }: NameFieldProps) {
  return (
    <Field label="Name" hint={hint} fault={faultAt(error, "name")}>
      {(control) => (
        <input
          {...control}
          value={value}
          required
          maxLength={128}
          autoComplete="off"
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}
