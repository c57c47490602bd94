/** Asks the questions of a schema of chosen documents. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useNavigate } from "react-router";
import { client } from "../../../api/client.ts";
import { useScope } from "../../../api/session.tsx";
import { Button } from "../../../ui/button.tsx";
import { Field, faultAt } from "../../../ui/field.tsx";
import { Card } from "../../../ui/page.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import { Snippet } from "../../../ui/snippet.tsx";
import { DocumentChoice } from "../library/document-choice.tsx";

export function ExtractForm({ modelId }: { readonly modelId: string }) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const mayRegister = useScope("datasets:write");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [name, setName] = useState("");
  const request = {
    model_id: modelId,
    documents: [...chosen],
    ...(name === "" ? {} : { register_dataset: { name } }),
  };
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => client.agentic.extract.mutate(request),
    onSuccess: async ({ job_id }) => {
      await queries.invalidateQueries({ queryKey: ["document-jobs"] });
      navigate(`/documents/extractions/${job_id}`);
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    mutate();
  };
  return (
    <>
      <Card title="Documents to answer for">
        <form onSubmit={submit}>
          <DocumentChoice
            chosen={chosen}
            onChange={setChosen}
            fault={faultAt(error, "documents")}
          />
          {mayRegister && (
            <Field
              label="Register as dataset, if wanted"
              hint="Its name. Leave it empty to look at the answers and correct them first."
              fault={faultAt(error, "register_dataset.name")}
            >
              {(control) => (
                <input
                  {...control}
                  value={name}
                  maxLength={200}
                  autoComplete="off"
                  onChange={(event) => setName(event.target.value)}
                />
              )}
            </Field>
          )}
          {error && <ProblemNote error={error} />}
          <div className="actions">
            <Button look="main" type="submit" busy={isPending} disabled={chosen.size === 0}>
              Read the answers
            </Button>
          </div>
        </form>
      </Card>
      {chosen.size > 0 && (
        <Card title="The same from a program">
          <Snippet
            label="This extraction"
            call={{
              method: "POST",
              path: "/v1/agentic/documents/extract",
              body: request,
              procedure: "agentic.extract.mutate",
            }}
          />
        </Card>
      )}
    </>
  );
}
