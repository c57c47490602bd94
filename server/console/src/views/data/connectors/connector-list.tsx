/** Connectors: where other people's data lies, and whether it can be read. */

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../../../api/client.ts";
import { useScope } from "../../../api/session.tsx";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { Confirm } from "../../../ui/dialog.tsx";
import { Listing } from "../../../ui/listing.tsx";
import { Card, Empty, Page } from "../../../ui/page.tsx";
import { Text } from "../../../ui/text.tsx";
import { useToasts } from "../../../ui/toasts.tsx";
import { DataTabs } from "../data-tabs.tsx";
import { ConnectorTest, type Kind } from "./connector-test.tsx";

export function ConnectorList() {
  const mayChange = useScope("connectors:write");
  const make = (
    <ButtonLink look="main" to="/data/connectors/new">
      New connector
    </ButtonLink>
  );
  return (
    <Page
      title="Connectors"
      lead="Ways to object stores and databases. Their credentials are kept sealed, and never shown again."
      actions={mayChange && make}
    >
      <DataTabs />
      <Card title="Object stores">
        <Listing
          queryKey={["connectors", "objstore", "pages"]}
          caption="Object stores"
          page={async (page_token, signal) => {
            const page = await client.objectStoreConnectors.list.query(
              { limit: 50, page_token },
              { signal },
            );
            return { items: page.items, next: page.next_page_token };
          }}
          keyOf={({ connector_name }) => connector_name}
          columns={[
            { head: "Name", cell: ({ connector_name }) => <Text of={connector_name} /> },
            { head: "Address", cell: ({ url }) => <Text of={url} /> },
            {
              head: "Credentials",
              cell: ({ credential_name: name }) => (name === "" ? "–" : <Text of={name} />),
            },
            {
              head: "Actions",
              cell: ({ connector_name }) => <Actions kind="objstore" name={connector_name} />,
            },
          ]}
          empty={
            <Empty title="No object store yet" action={mayChange && make}>
              <p>Files in S3, or in a folder of the service, become tables by one.</p>
            </Empty>
          }
        />
      </Card>
      <Card title="Databases">
        <Listing
          queryKey={["connectors", "warehouse", "pages"]}
          caption="Databases"
          page={async (page_token, signal) => {
            const page = await client.warehouseConnectors.list.query(
              { limit: 50, page_token },
              { signal },
            );
            return { items: page.items, next: page.next_page_token };
          }}
          keyOf={({ connector_name }) => connector_name}
          columns={[
            { head: "Name", cell: ({ connector_name }) => <Text of={connector_name} /> },
            {
              head: "Actions",
              cell: ({ connector_name }) => <Actions kind="warehouse" name={connector_name} />,
            },
          ]}
          empty={
            <Empty title="No database yet" action={mayChange && make}>
              <p>Tables of PostgreSQL and Trino are read where they lie by one.</p>
            </Empty>
          }
        />
      </Card>
    </Page>
  );
}

function Actions({ kind, name }: { readonly kind: Kind; readonly name: string }) {
  const mayChange = useScope("connectors:write");
  const queries = useQueryClient();
  const { done } = useToasts();
  const [isDeleting, setIsDeleting] = useState(false);
  const [isTesting, setIsTesting] = useState(false);
  if (!mayChange) return <>–</>;
  const remove = async (): Promise<void> => {
    const router = kind === "objstore" ? client.objectStoreConnectors : client.warehouseConnectors;
    await router.delete.mutate({ connector_name: name });
    done("The connector was deleted.");
    setIsDeleting(false);
    await queries.invalidateQueries({ queryKey: ["connectors"] });
  };
  return (
    <div className="row">
      <Button aria-label={`Test ${name}`} onClick={() => setIsTesting(true)}>
        Test
      </Button>
      <Button look="danger" aria-label={`Delete ${name}`} onClick={() => setIsDeleting(true)}>
        Delete
      </Button>
      {isTesting && <ConnectorTest kind={kind} name={name} onClose={() => setIsTesting(false)} />}
      {isDeleting && (
        <Confirm
          title="Delete this connector?"
          action="Delete"
          onConfirm={remove}
          onClose={() => setIsDeleting(false)}
        >
          <p>
            <strong>
              <Text of={name} />
            </strong>{" "}
            goes with its credentials. It is refused while catalogs or tables read by it.
          </p>
        </Confirm>
      )}
    </div>
  );
}
