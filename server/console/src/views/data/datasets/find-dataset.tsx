/** A part of datasets' names, in the address, by which lists of them are narrowed. */

import { useSearchParams } from "react-router";
import { Field } from "../../../ui/field.tsx";

const MOST = 200;

/** What is to be found; undefined = all. */
export function useFind(): string | undefined {
  const [query] = useSearchParams();
  const text = query.get("find")?.trim().slice(0, MOST);
  return text === "" ? undefined : text;
}

export function FindDataset() {
  const [query, setQuery] = useSearchParams();
  const say = (text: string): void =>
    setQuery(
      (before) => {
        if (text === "") before.delete("find");
        else before.set("find", text);
        return before;
      },
      { replace: true, preventScrollReset: true },
    );
  return (
    <Field label="Find a dataset">
      {(control) => (
        <input
          {...control}
          type="search"
          maxLength={MOST}
          value={query.get("find") ?? ""}
          onChange={({ target }) => say(target.value)}
        />
      )}
    </Field>
  );
}
