/** Warehouse connectors: create, get, list, change, delete, test. */

import { z } from "zod";
import { authed, router } from "../../api/http/routing/trpc.ts";
import { nextPageToken, pageQuery } from "../../api/paging/page-token.ts";
import { checkWarehouse } from "./address-rules.ts";
import {
  assertCredentialsSent,
  type ConnectorOwner,
  changeConnector,
  createConnector,
  deleteConnector,
  requireConnector,
} from "./changes.ts";
import { checkReport } from "./check-report.ts";
import { connectorPage } from "./connector-page.ts";
import { checkWarehouseCredentials } from "./credentials.ts";
import { deletedRecord, toWarehouse, warehouseName, warehouseRecord } from "./records.ts";
import {
  connectorName,
  createWarehouse,
  deleteConnectorRequest,
  PATCH_DESCRIPTION,
  patchWarehouse,
} from "./requests.ts";
import { testWarehouse } from "./test-connector.ts";

const KIND = "warehouse";
const tags = ["Connectors"];
const path = z.strictObject({ connector_name: connectorName });
const ROOT = "/v1/connectors/warehouse";
const ONE = `${ROOT}/{connector_name}` as const;

export const warehousesRouter = (owner: ConnectorOwner) =>
  router({
    create: authed("connectors:write")
      .meta({
        openapi: {
          method: "POST",
          path: ROOT,
          summary: "Create Warehouse Connector",
          tags,
          creates: true,
          errors: ["conflict"],
        },
      })
      .input(createWarehouse)
      .output(warehouseRecord)
      .mutation(async ({ ctx, input }) => {
        const { connector_name, kind, url, credential_name, credentials = null } = input;
        const settings = { engine: kind, url };
        await checkWarehouse(ctx.services, settings);
        checkWarehouseCredentials(kind, credentials);
        const draft = { credentialName: credential_name ?? "", settings, credentials };
        return toWarehouse(await createConnector(ctx, owner, KIND, connector_name, draft));
      }),

    list: authed("connectors:read")
      .meta({
        openapi: {
          method: "GET",
          path: ROOT,
          summary: "List Warehouse Connectors",
          description: "Newest first, by name alone.",
          tags,
        },
      })
      .input(z.strictObject(pageQuery))
      .output(z.object({ items: z.array(warehouseName), next_page_token: nextPageToken }))
      .query(async ({ ctx, input }) => {
        const page = await connectorPage(ctx, KIND, input);
        return {
          items: page.entries.map(({ name }) => ({ connector_name: name })),
          next_page_token: page.next_page_token,
        };
      }),

    get: authed("connectors:read")
      .meta({
        openapi: {
          method: "GET",
          path: ONE,
          summary: "Get Warehouse Connector",
          description: "Without its credentials: they are never returned.",
          tags,
          errors: ["not-found"],
        },
      })
      .input(path)
      .output(warehouseRecord)
      .query(async ({ ctx, input }) =>
        toWarehouse(await requireConnector(ctx, KIND, input.connector_name)),
      ),

    patch: authed("connectors:write")
      .meta({
        openapi: {
          method: "PATCH",
          path: ONE,
          summary: "Update Warehouse Connector",
          description: PATCH_DESCRIPTION,
          tags,
          errors: ["not-found"],
        },
      })
      .input(patchWarehouse)
      .output(warehouseRecord)
      .mutation(async ({ ctx, input }) => {
        const { url, credential_name, credentials } = input;
        const changed = await changeConnector(
          ctx,
          owner,
          KIND,
          input.connector_name,
          async (connector) => {
            const { engine } = connector.settings;
            const settings = { engine, url: url ?? connector.settings.url };
            await checkWarehouse(ctx.services, settings);
            checkWarehouseCredentials(engine, credentials ?? null);
            const moved = serverOf(settings.url) !== serverOf(connector.settings.url);
            assertCredentialsSent(connector, credentials, moved);
            return {
              credentialName:
                credential_name === undefined ? connector.credentialName : (credential_name ?? ""),
              settings,
              credentials,
            };
          },
        );
        return toWarehouse(changed);
      }),

    delete: authed("connectors:write")
      .meta({
        openapi: {
          method: "DELETE",
          path: ONE,
          summary: "Delete Warehouse Connector",
          tags,
          errors: ["not-found", "conflict"],
        },
      })
      .input(deleteConnectorRequest)
      .output(deletedRecord)
      .mutation(async ({ ctx, input }) => {
        const { connector_name, force } = input;
        const id = await deleteConnector(ctx, owner, KIND, connector_name, force);
        return { id, deleted: true };
      }),

    // It sends credentials and bytes over the network, which is more than looking.
    test: authed("connectors:write")
      .meta({
        openapi: {
          method: "POST",
          path: `${ONE}/test`,
          summary: "Test Warehouse Connector",
          description:
            "Whether its server can be reached, takes the credentials, tells its version and lists schemas. 200 whatever the outcome; it ends after 10 s.",
          tags,
          errors: ["not-found"],
        },
      })
      .input(path)
      .output(checkReport)
      .mutation(async ({ ctx, input }) =>
        testWarehouse(ctx, await requireConnector(ctx, KIND, input.connector_name)),
      ),
  });

/** To whom credentials would be shown, and how protected: all but the path. */
function serverOf(url: string): string {
  const { protocol, host, search } = new URL(url);
  return `${protocol}//${host}${search}`;
}
