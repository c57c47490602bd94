/** Warehouse connectors: create, list, get, change, delete, test. */

import { z } from "zod";
import { authed, router } from "../../api/http/routing/trpc.ts";
import { nextPageToken, pageQuery } from "../../api/paging/page-token.ts";
import { checkWarehouse } from "./address-rules.ts";
import {
  type ConnectorOwner,
  changeConnector,
  createConnector,
  requireConnector,
} from "./changes.ts";
import { connectorPage } from "./connector-page.ts";
import { checkWarehouseCredentials } from "./credentials.ts";
import { connectorOperations, connectorPath, endingProcedures } from "./operations.ts";
import { toWarehouse, warehouseName, warehouseRecord } from "./records.ts";
import { createWarehouse, PATCH_DESCRIPTION, patchWarehouse } from "./requests.ts";
import { testWarehouse } from "./test-connector.ts";

const KIND = "warehouse";
const says = connectorOperations(KIND, "Warehouse Connector");

export const warehousesRouter = (owner: ConnectorOwner) =>
  router({
    create: authed("connectors:write")
      .meta(says.create({ errors: ["conflict"] }))
      .input(createWarehouse)
      .output(warehouseRecord)
      .mutation(async ({ ctx, input }) => {
        const settings = { engine: input.kind, url: input.url };
        await checkWarehouse(ctx.services, settings);
        checkWarehouseCredentials(input.kind, input.credentials ?? null);
        return toWarehouse(await createConnector(ctx, owner, KIND, input, settings));
      }),

    list: authed("connectors:read")
      .meta(says.list({ description: "Newest first, by name alone." }))
      .input(z.strictObject(pageQuery))
      .output(z.object({ items: z.array(warehouseName), next_page_token: nextPageToken }))
      .query(async ({ ctx, input }) => {
        const page = await connectorPage(ctx, KIND, input);
        const items = page.entries.map(({ name }) => ({ connector_name: name }));
        return { items, next_page_token: page.next_page_token };
      }),

    get: authed("connectors:read")
      .meta(says.get({ description: "Without its credentials: they are never returned." }))
      .input(connectorPath)
      .output(warehouseRecord)
      .query(async ({ ctx, input }) =>
        toWarehouse(await requireConnector(ctx, KIND, input.connector_name)),
      ),

    patch: authed("connectors:write")
      .meta(says.patch({ description: PATCH_DESCRIPTION }))
      .input(patchWarehouse)
      .output(warehouseRecord)
      .mutation(async ({ ctx, input }) => {
        const changed = await changeConnector(ctx, owner, KIND, input, async (connector) => {
          const { engine, url } = connector.settings;
          const settings = { engine, url: input.url ?? url };
          await checkWarehouse(ctx.services, settings);
          checkWarehouseCredentials(engine, input.credentials ?? null);
          return { settings, moved: serverOf(settings.url) !== serverOf(url) };
        });
        return toWarehouse(changed);
      }),

    ...endingProcedures(owner, KIND, says, {
      test: testWarehouse,
      description:
        "Whether its server can be reached, accepts the credentials, tells its version and lists schemas. 200 whatever the outcome; it ends after 10 s.",
    }),
  });

/** To whom credentials would be shown, and how protected: all but the path. */
function serverOf(url: string): string {
  const { protocol, host, search } = new URL(url);
  return `${protocol}//${host}${search}`;
}
