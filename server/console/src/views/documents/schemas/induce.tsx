/** Finding the questions for documents of a kind: a sample, what the answers are for, and a skill. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useNavigate } from "react-router";
import { client } from "../../../api/client.ts";
import { Button } from "../../../ui/button.tsx";
import { Field, faultAt } from "../../../ui/field.tsx";
import { Card, Page } from "../../../ui/page.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import { Snippet } from "../../../ui/snippet.tsx";
import { DocumentChoice } from "../library/document-choice.tsx";

const PATH = [
  { to: "/documents", label: "Documents" },
  { to: "/documents/schemas", label: "Schemas" },
];
const DEFAULT_QUESTIONS = 25;

export function Induce() {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [useCase, setUseCase] = useState("");
  const [skill, setSkill] = useState("general");
  const [id, setId] = useState("");
  const [most, setMost] = useState(DEFAULT_QUESTIONS);
  const { data: known } = useQuery({
    queryKey: ["skills"],
    queryFn: ({ signal }) => client.agentic.skills.query(undefined, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const skills = known?.skills ?? [];
  const documents = [...chosen];
  const request = {
    documents,
    use_case: useCase,
    skill,
    max_questions: most,
    ...(id === "" ? {} : { model_id: id }),
  };
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => client.agentic.induce.mutate(request),
    onSuccess: async ({ schema_id }) => {
      await queries.invalidateQueries({ queryKey: ["document-schemas"] });
      navigate(`/documents/schemas/${encodeURIComponent(schema_id)}`);
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    mutate();
  };
  const isWhole = documents.length > 0 && useCase.trim() !== "";
  return (
    <Page
      title="Find questions"
      lead="The service studies a sample and freezes the questions that such documents answer. Ten documents or more of one kind show what they have in common."
      path={PATH}
    >
      <Card>
        <form onSubmit={submit}>
          <Field
            label="What the answers are for"
            hint="In plain words, such as: predict whether an invoice is paid late. It decides which questions matter."
            fault={faultAt(error, "use_case")}
          >
            {(control) => (
              <textarea
                {...control}
                rows={3}
                maxLength={10_000}
                required
                value={useCase}
                onChange={(event) => setUseCase(event.target.value)}
              />
            )}
          </Field>
          <div className="form-row">
            <Field
              label="Skill"
              hint={skills.find(({ slug }) => slug === skill)?.description}
              fault={faultAt(error, "skill")}
            >
              {(control) => (
                <select
                  {...control}
                  value={skill}
                  onChange={(event) => setSkill(event.target.value)}
                >
                  {skills.length === 0 && <option>{skill}</option>}
                  {skills.map(({ slug, title }) => (
                    <option key={slug} value={slug}>
                      {title}
                    </option>
                  ))}
                </select>
              )}
            </Field>
            <Field
              label="Id, if any"
              hint="What the schema is called by, such as invoices."
              fault={faultAt(error, "model_id")}
            >
              {(control) => (
                <input
                  {...control}
                  value={id}
                  autoComplete="off"
                  onChange={(event) => setId(event.target.value)}
                />
              )}
            </Field>
            <Field label="Questions at most" fault={faultAt(error, "max_questions")}>
              {(control) => (
                <input
                  {...control}
                  type="number"
                  min={1}
                  max={100}
                  required
                  value={most}
                  onChange={(event) => setMost(event.target.valueAsNumber)}
                />
              )}
            </Field>
          </div>
          <DocumentChoice
            chosen={chosen}
            onChange={setChosen}
            fault={faultAt(error, "documents")}
          />
          {error && <ProblemNote error={error} />}
          <div className="actions">
            <Button look="main" type="submit" busy={isPending} disabled={!isWhole}>
              Find questions
            </Button>
          </div>
        </form>
      </Card>
      {isWhole && (
        <Card title="The same from a program">
          <Snippet
            label="This search for questions"
            call={{
              method: "POST",
              path: "/v1/agentic/documents/induce_schema",
              body: request,
              procedure: "agentic.induce.mutate",
            }}
          />
        </Card>
      )}
    </Page>
  );
}
