/** Lists of questions that were found in samples of documents. */

import { Link } from "react-router";
import { client } from "../../../api/client.ts";
import { useScope } from "../../../api/session.tsx";
import { ButtonLink } from "../../../ui/button.tsx";
import { stateOf } from "../../../ui/job-state.ts";
import { Listing } from "../../../ui/listing.tsx";
import { count } from "../../../ui/numbers.ts";
import { Empty, Page } from "../../../ui/page.tsx";
import { Status } from "../../../ui/status.tsx";
import { Text } from "../../../ui/text.tsx";
import { Time } from "../../../ui/time.tsx";
import { DocumentParts } from "../parts.tsx";
import { schemaName } from "./schema-name.ts";

const REFRESH_MS = 5_000;

export function SchemaList() {
  const mayWrite = useScope("documents:write");
  const add = mayWrite && (
    <ButtonLink look="main" to="/documents/induce">
      Find questions
    </ButtonLink>
  );
  return (
    <Page
      title="Schemas"
      lead="A schema is a frozen list of questions for documents of one kind; its answers are the columns of a table."
      path={[{ to: "/documents", label: "Documents" }]}
      actions={add}
    >
      <DocumentParts chosen="/schemas" />
      <Listing
        queryKey={["document-schemas"]}
        caption="Schemas"
        refreshMs={REFRESH_MS}
        page={async (page_token, signal) => {
          const { models, next_page_token: next } = await client.models.list.query(
            { type: "document_schema", limit: 50, page_token },
            { signal },
          );
          return { items: models.filter((each) => each.type === "document_schema"), next };
        }}
        keyOf={({ id }) => id}
        columns={[
          {
            head: "Schema",
            cell: (schema) => (
              <Link to={`/documents/schemas/${encodeURIComponent(schema.id)}`}>
                <bdi title={schema.id}>{schemaName(schema, 60)}</bdi>
              </Link>
            ),
          },
          {
            head: "For",
            cell: (schema) =>
              // Where nobody has named it, its name says so already.
              schemaName(schema, 300) === schema.use_case.trim() ? (
                "–"
              ) : (
                <Text of={schema.use_case} most={100} />
              ),
          },
          { head: "Skill", cell: ({ skill }) => skill },
          { head: "Sample", cell: ({ documents }) => count(documents), isNumber: true },
          { head: "State", cell: (schema) => <Status of={stateOf(schema)} /> },
          { head: "Made", cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
        empty={
          <Empty title="No schema yet" action={add}>
            <p>Choose a sample of documents and say what the answers are for.</p>
          </Empty>
        }
      />
    </Page>
  );
}
