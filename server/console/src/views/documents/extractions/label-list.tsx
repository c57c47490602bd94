/** The labels of a schema: what people said, who, when; to be removed. */

import { useQueryClient } from "@tanstack/react-query";
import { client } from "../../../api/client.ts";
import { useScope } from "../../../api/session.tsx";
import { Button } from "../../../ui/button.tsx";
import { DataTable } from "../../../ui/listing.tsx";
import { counted } from "../../../ui/numbers.ts";
import { Card } from "../../../ui/page.tsx";
import { saveFile } from "../../../ui/save-file.ts";
import { Text } from "../../../ui/text.tsx";
import { Time } from "../../../ui/time.tsx";
import { useToasts } from "../../../ui/toasts.tsx";
import { LABEL_FILES } from "./label-files.ts";
import { type Label, labelsKey } from "./labels.ts";

/** Labels that are shown; a program reads all. */
const SHOWN = 100;

interface LabelListProps {
  readonly modelId: string;
  readonly labels: readonly Label[];
}

export function LabelList({ modelId, labels }: LabelListProps) {
  const mayWrite = useScope("documents:write");
  const queries = useQueryClient();
  const { done, failed } = useToasts();
  if (labels.length === 0) return null;
  const remove = async ({ document_id, question_id }: Label): Promise<void> => {
    await client.agentic.deleteLabel.mutate({ model_id: modelId, document_id, question_id });
    await queries.invalidateQueries({ queryKey: labelsKey(modelId) });
    done("What was read is the answer again.");
  };
  return (
    <Card
      title={counted(labels.length, "review label")}
      actions={(Object.keys(LABEL_FILES) as (keyof typeof LABEL_FILES)[]).map((format) => (
        <Button
          key={format}
          onClick={() => saveFile(LABEL_FILES[format](labels), `labels.${format}`)}
          aria-label={`All labels as ${format.toUpperCase()}`}
        >
          {format.toUpperCase()}
        </Button>
      ))}
    >
      <p className="note">
        Corrections are kept for the schema: what is extracted by it from now on answers so.
      </p>
      <DataTable
        caption="Review labels"
        items={labels.slice(0, SHOWN)}
        keyOf={({ id }) => id}
        columns={[
          { head: "Document", cell: ({ document_name }) => <Text of={document_name} most={50} /> },
          { head: "Question", cell: ({ question_id }) => question_id },
          {
            head: "Answer",
            cell: ({ value, unit }) =>
              value === null ? (
                "not stated"
              ) : (
                <Text of={unit === null ? String(value) : `${value} ${unit}`} most={80} />
              ),
          },
          {
            head: "By",
            cell: (label) => <Text of={label.key_name ?? label.labelled_by} most={40} />,
          },
          { head: "When", cell: ({ updated_at }) => <Time at={updated_at} /> },
          {
            head: "Change",
            cell: (label) =>
              mayWrite && (
                <Button look="quiet" onClick={() => remove(label).catch(failed)}>
                  Remove
                  <span className="unseen">
                    {" "}
                    {label.question_id} of {label.document_name}
                  </span>
                </Button>
              ),
          },
        ]}
      />
      {labels.length > SHOWN && (
        <p className="hint">The newest {SHOWN} are shown; the files have all.</p>
      )}
    </Card>
  );
}
