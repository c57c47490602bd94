/** Answers by document and question, each to be corrected where it stands. */

import type { Outputs } from "@distillery/client";
import { memo, useState } from "react";
import { Button } from "../../../ui/button.tsx";
import { count, percent } from "../../../ui/numbers.ts";
import { Text } from "../../../ui/text.tsx";
import { type Corrections, cellKey, questionsOf, type Row, written } from "./rows.ts";

type Question = Outputs["agentic"]["getSchema"]["schema"]["questions"][number];

/** Rows that are drawn at once. */
const STEP = 50;

interface AnswerTableProps {
  readonly rows: readonly Row[];
  readonly questions: readonly Question[];
  readonly corrections: Corrections;
  readonly row: number;
  readonly question: string | null;
  readonly onChoose: (row: number, question: string) => void;
  readonly onCorrect: (row: number, question: string, text: string) => void;
  /** When somebody leaves an answer. */
  readonly onSettle: (row: number, question: string) => void;
  /** When somebody presses Escape in an answer. */
  readonly onTakeBack: (row: number, question: string) => void;
  /** Why what was typed is no answer, by row and question. */
  readonly faults: Readonly<Record<string, string>>;
}

export function AnswerTable(props: AnswerTableProps) {
  const { rows, questions, corrections, faults, row, question } = props;
  const { onChoose, onCorrect, onSettle, onTakeBack } = props;
  const [shown, setShown] = useState(STEP);
  const ids = questionsOf(rows);
  const most = Math.max(shown, row + 1);
  const numberCorrected = Object.keys(corrections).length;
  return (
    <div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <section className="answers" tabIndex={0} aria-label="Answers">
        <table className="stacks">
          <caption>Answers by document</caption>
          <thead>
            <tr>
              <th scope="col">Document</th>
              {ids.map((id) => (
                <th key={id} scope="col" title={questions.find((each) => each.id === id)?.question}>
                  {id}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, most).map((each, at) => (
              <tr key={`${each.document_id} ${cellKey(at, "")}`}>
                <th scope="row" data-head="Document">
                  <Text of={each.name} most={60} />
                  {each.error_message && <p className="fault">{each.error_message}</p>}
                </th>
                {ids.map((id) => (
                  <Cell
                    key={id}
                    row={at}
                    id={id}
                    label={`${id} of ${each.name}`}
                    answer={each.answers[id]}
                    values={questions.find((one) => one.id === id)?.enum}
                    correction={corrections[cellKey(at, id)]}
                    isChosen={at === row && id === question}
                    onChoose={onChoose}
                    onCorrect={onCorrect}
                    onSettle={onSettle}
                    onTakeBack={onTakeBack}
                    fault={faults[cellKey(at, id)]}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p className="note">
        Go into an answer to see where it stands; type to correct it. Leaving it keeps the
        correction, Escape takes back what was typed.
        {numberCorrected > 0 && ` ${count(numberCorrected)} corrected.`}
      </p>
      {rows.length > most && (
        <Button onClick={() => setShown(most + STEP)}>
          Show more of {count(rows.length)} documents
        </Button>
      )}
    </div>
  );
}

interface CellProps
  extends Pick<AnswerTableProps, "onChoose" | "onCorrect" | "onSettle" | "onTakeBack"> {
  readonly row: number;
  readonly id: string;
  readonly label: string;
  readonly answer: Row["answers"][string] | undefined;
  readonly values: readonly string[] | undefined;
  readonly correction: string | undefined;
  readonly isChosen: boolean;
  readonly fault: string | undefined;
}

const Cell = memo(
  ({ row, id, label, answer, values, correction, isChosen, fault, ...told }: CellProps) => {
    const { onChoose, onCorrect, onSettle, onTakeBack } = told;
    const list = values && values.length > 0 ? `values-${row}-${id}` : undefined;
    return (
      <td data-head={id} className={isChosen ? "chosen" : undefined}>
        <div>
          <input
            aria-label={label}
            className={correction === undefined ? undefined : "corrected"}
            value={correction ?? written(answer)}
            placeholder="not stated"
            list={list}
            autoComplete="off"
            onFocus={() => onChoose(row, id)}
            onChange={(event) => onCorrect(row, id, event.target.value)}
            onBlur={() => onSettle(row, id)}
            onKeyDown={({ key }) => {
              if (key === "Enter") onSettle(row, id);
              if (key === "Escape") onTakeBack(row, id);
            }}
            aria-invalid={fault ? true : undefined}
            aria-describedby={fault ? `fault-${row}-${id}` : undefined}
          />
          {list && (
            <datalist id={list}>
              {values?.map((value) => (
                <option key={value}>{value}</option>
              ))}
            </datalist>
          )}
          {fault ? (
            <span className="fault" id={`fault-${row}-${id}`}>
              {fault}
            </span>
          ) : (
            <span className="note">{noteOf(answer, correction)}</span>
          )}
        </div>
      </td>
    );
  },
);

function noteOf(answer: CellProps["answer"], correction: string | undefined): string {
  if (correction !== undefined) return `corrected; was ${written(answer) || "not stated"}`;
  if (answer?.is_label) return "as somebody said";
  if (!answer || answer.value === null) return "";
  const sure = answer.confidence === null ? [] : [`${percent(answer.confidence, 1)} sure`];
  return [...(answer.unit ? [answer.unit] : []), ...sure].join(", ");
}
