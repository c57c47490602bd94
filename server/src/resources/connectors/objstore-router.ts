/** Object-store connectors: create, list, get, change, delete, test. */

import { z } from "zod";
import { authed, router } from "../../api/http/routing/trpc.ts";
import { nextPageToken, pageQuery } from "../../api/paging/page-token.ts";
import { checkObjectStore } from "./address-rules.ts";
import {
  type ConnectorOwner,
  changeConnector,
  createConnector,
  requireConnector,
} from "./changes.ts";
import type { ObjectStoreAddress } from "./connector.ts";
import { connectorPage } from "./connector-page.ts";
import { connectorOperations, connectorPath, endingProcedures } from "./operations.ts";
import { objectStoreMetadata, objectStoreRecord, toMetadata, toObjectStore } from "./records.ts";
import { createObjectStore, PATCH_DESCRIPTION, patchObjectStore } from "./requests.ts";
import { testObjectStore } from "./test-connector.ts";

const KIND = "objstore";
const says = connectorOperations(KIND, "Object-Store Connector");

export const objectStoresRouter = (owner: ConnectorOwner) =>
  router({
    create: authed("connectors:write")
      .meta(says.create({ errors: ["conflict"] }))
      .input(createObjectStore)
      .output(objectStoreRecord)
      .mutation(async ({ ctx, input }) => {
        const { url, endpoint = null, region = null, path_style = null } = input;
        const settings = { url, endpoint, region, path_style };
        checkObjectStore(ctx.services, settings, input.credentials != null);
        return toObjectStore(await createConnector(ctx, owner, KIND, input, settings));
      }),

    list: authed("connectors:read")
      .meta(says.list({ description: "Newest first." }))
      .input(z.strictObject(pageQuery))
      .output(z.object({ items: z.array(objectStoreRecord), next_page_token: nextPageToken }))
      .query(async ({ ctx, input }) => {
        const page = await connectorPage(ctx, KIND, input);
        return { items: page.entries.map(toObjectStore), next_page_token: page.next_page_token };
      }),

    get: authed("connectors:read")
      .meta(says.get({ description: "Metadata only: credentials are never returned." }))
      .input(connectorPath)
      .output(objectStoreMetadata)
      .query(async ({ ctx, input }) =>
        toMetadata(await requireConnector(ctx, KIND, input.connector_name)),
      ),

    patch: authed("connectors:write")
      .meta(says.patch({ description: PATCH_DESCRIPTION }))
      .input(patchObjectStore)
      .output(objectStoreRecord)
      .mutation(async ({ ctx, input }) => {
        const { credentials } = input;
        const changed = await changeConnector(ctx, owner, KIND, input, async (connector) => {
          const settings = merged(connector.settings, input);
          const kept = credentials === undefined && connector.sealed !== null;
          checkObjectStore(ctx.services, settings, kept || credentials != null);
          return { settings, moved: settings.endpoint !== connector.settings.endpoint };
        });
        return toObjectStore(changed);
      }),

    ...endingProcedures(owner, KIND, says, {
      test: testObjectStore,
      description:
        "Whether its server can be reached, accepts the credentials, lists objects and gives one to read. 200 whatever the outcome; it ends after 10 s.",
    }),
  });

/** Members that are undefined stay as they are. */
function merged(
  address: ObjectStoreAddress,
  change: {
    readonly [Member in keyof ObjectStoreAddress]?: ObjectStoreAddress[Member] | undefined;
  },
): ObjectStoreAddress {
  const { url, endpoint, region, path_style } = change;
  return {
    url: url ?? address.url,
    endpoint: endpoint === undefined ? address.endpoint : endpoint,
    region: region === undefined ? address.region : region,
    path_style: path_style === undefined ? address.path_style : path_style,
  };
}
