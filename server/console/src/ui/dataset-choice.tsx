/** The choice of one dataset: of the newest, or of those whose name has what is typed where there are more. */

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { client } from "../api/client.ts";
import type { Field } from "./field.tsx";
import { counted } from "./numbers.ts";
import { isolated } from "./text.tsx";

/** In one list; of more, part of the name finds the others. */
const OFFERED = 200;
const NAME_LENGTH = 80;

interface DatasetChoiceProps {
  readonly control: Parameters<Parameters<typeof Field>[0]["children"]>[0];
  /** An id; empty where none is chosen. */
  readonly value: string;
  readonly onChange: (id: string) => void;
  /** The chosen one's name, where it is known. */
  readonly name?: string | undefined;
  /** What stands for none; absent where one is always chosen. */
  readonly none?: string;
  readonly required?: boolean;
}

export function DatasetChoice({
  control,
  value,
  onChange,
  name,
  none,
  required = false,
}: DatasetChoiceProps) {
  const [text, setText] = useState("");
  const wanted = useDeferredValue(text.trim());
  const { data } = useQuery({
    queryKey: ["datasets", "choice", wanted],
    queryFn: ({ signal }) =>
      client.datasets.list.query(
        { limit: OFFERED, max_columns: 0, ...(wanted !== "" && { contains: wanted }) },
        { signal },
      ),
    placeholderData: keepPreviousData,
  });
  const datasets = data?.datasets ?? [];
  const hasMore = Boolean(data?.next_page_token);
  const isListed = datasets.some(({ dataset_id }) => dataset_id === value);
  return (
    <>
      {(hasMore || text !== "") && (
        <input
          type="search"
          aria-label="Part of the dataset's name"
          placeholder={`Part of the name${hasMore ? `, beyond these ${datasets.length}` : ""}`}
          maxLength={200}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      )}
      <select
        {...control}
        required={required}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      >
        {none !== undefined && <option value="">{none}</option>}
        {value !== "" && !isListed && (
          <option value={value}>{isolated(name ?? value, NAME_LENGTH)}</option>
        )}
        {datasets.map(({ dataset_id, name: each, rows }) => (
          <option key={dataset_id} value={dataset_id}>
            {`${isolated(each, NAME_LENGTH)} (${counted(rows, "row")})`}
          </option>
        ))}
      </select>
    </>
  );
}
