/** One question: its unit, the answers that it may have, why it is asked, and its gates. */

import type { Outputs } from "@distillery/client";
import { DataTable } from "../../../ui/listing.tsx";
import { figure } from "../../../ui/numbers.ts";
import { Text } from "../../../ui/text.tsx";
import { gatesOf } from "./figures.ts";

type Schema = Outputs["agentic"]["getSchema"]["schema"];

interface QuestionProps {
  readonly question: Schema["questions"][number];
  readonly metadata: Schema["metadata"];
}

export function Question({ question, metadata }: QuestionProps) {
  const { id, question: words, rationale, unit, enum: values } = question;
  const gates = gatesOf(metadata, id);
  return (
    <article className="question">
      <h3>
        <Text of={words} most={300} />
      </h3>
      <p>
        <code>{id}</code>
        {unit !== "" && <span className="note">, in {unit}</span>}
      </p>
      {values.length > 0 && (
        <ul className="enum" aria-label="Answers that it may have">
          {values.map((value) => (
            <li key={value}>
              <Text of={value} most={60} />
            </li>
          ))}
        </ul>
      )}
      <p>{rationale}</p>
      {gates.length > 0 && (
        <details>
          <summary>
            {gates.filter(({ passed }) => passed).length} of {gates.length} gates passed
          </summary>
          <DataTable
            caption={`Gates of ${id}`}
            items={gates}
            keyOf={({ gate }) => gate}
            columns={[
              { head: "Gate", cell: ({ gate }) => gate },
              {
                head: "Passed",
                cell: ({ passed }) => (
                  <span className={`status ${passed ? "good" : "bad"}`}>
                    {passed ? "passed" : "not passed"}
                  </span>
                ),
              },
              {
                head: "Score",
                cell: ({ score }) => (score === null ? "–" : figure(score)),
                isNumber: true,
              },
              { head: "Why", cell: ({ note }) => note },
            ]}
          />
        </details>
      )}
    </article>
  );
}
