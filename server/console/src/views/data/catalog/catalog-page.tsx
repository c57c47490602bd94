/** What queries can read: the tree of catalogs, and the table, schema or catalog that is chosen. */

import { useParams, useSearchParams } from "react-router";
import { useScope } from "../../../api/session.tsx";
import { Card, Page } from "../../../ui/page.tsx";
import { DataTabs } from "../data-tabs.tsx";
import { WithWorkspace } from "../with-workspace.tsx";
import { NameNote } from "./consequences.tsx";
import { DeleteOwned } from "./delete-owned.tsx";
import { MakeCatalog, MakeSchema } from "./make-owned.tsx";
import { MakeTable } from "./make-table.tsx";
import { TablePreview } from "./table-preview.tsx";
import { CatalogTree } from "./tree.tsx";

export function CatalogPage() {
  const { catalog, schema, table } = useParams();
  const [search] = useSearchParams();
  const connector = search.get("connector");
  const mayChange = useScope("workspace:write");
  return (
    <Page
      title="Catalog"
      lead="What queries read: every dataset, and tables that lie elsewhere, in catalogs and their schemas."
    >
      <DataTabs />
      <WithWorkspace>
        {(workspace) => (
          <div className="catalog">
            <nav aria-label="Catalogs">
              <CatalogTree workspace={workspace} />
            </nav>
            {catalog === undefined ? (
              mayChange && (
                <Card title="New catalog">
                  <MakeCatalog key={connector} workspace={workspace} of={connector} />
                </Card>
              )
            ) : schema === undefined ? (
              <Card
                title={catalog}
                actions={
                  mayChange && (
                    <DeleteOwned workspace={workspace} path={{ catalog }} what="catalog" />
                  )
                }
              >
                {mayChange && (
                  <>
                    <h3>New schema</h3>
                    <MakeSchema workspace={workspace} catalog={catalog} />
                    <NameNote what="catalog" />
                  </>
                )}
              </Card>
            ) : table === undefined ? (
              <Card
                title={`${catalog}.${schema}`}
                actions={
                  mayChange && (
                    <DeleteOwned workspace={workspace} path={{ catalog, schema }} what="schema" />
                  )
                }
              >
                {mayChange && (
                  <>
                    <h3>New table of files</h3>
                    <MakeTable workspace={workspace} catalog={catalog} schema={schema} />
                    <NameNote what="schema" />
                  </>
                )}
              </Card>
            ) : (
              <TablePreview
                key={`${catalog}.${schema}.${table}`}
                workspace={workspace}
                path={{ catalog, schema, table }}
              />
            )}
          </div>
        )}
      </WithWorkspace>
    </Page>
  );
}
