/** The answers as they were corrected, registered as a dataset to train on. */

import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Link } from "react-router";
import { client } from "../../../api/client.ts";
import { useScope } from "../../../api/session.tsx";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/field.tsx";
import { counted } from "../../../ui/numbers.ts";
import { Card } from "../../../ui/page.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import { Text } from "../../../ui/text.tsx";
import { type Corrections, csvOf, type Row } from "./rows.ts";

interface MakeDatasetProps {
  readonly rows: readonly Row[];
  readonly corrections: Corrections;
  /** To begin with. */
  readonly name: string;
}

export function MakeDataset({ rows, corrections, name: first }: MakeDatasetProps) {
  const mayWrite = useScope("datasets:write");
  const [name, setName] = useState(first);
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () =>
      client.uploadDataset(csvOf(rows, corrections), { name, mediaType: "text/csv" }),
  });
  if (!mayWrite || rows.length === 0) return null;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    mutate();
  };
  return (
    <Card title="Make a dataset">
      <p className="note">
        A row for each document with the answers as they stand above, corrections in place of what
        was read.
      </p>
      <form onSubmit={submit}>
        <Field label="Name">
          {(control) => (
            <input
              {...control}
              value={name}
              required
              autoComplete="off"
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        {error && <ProblemNote error={error} />}
        <div className="actions">
          <Button type="submit" busy={isPending}>
            Make dataset
          </Button>
        </div>
      </form>
      {data && (
        <p role="status">
          {counted(data.rows, "row")} in{" "}
          <Link to={`/data/datasets/${data.dataset_id}`}>
            <Text of={data.name} />
          </Link>
          .
        </p>
      )}
    </Card>
  );
}
