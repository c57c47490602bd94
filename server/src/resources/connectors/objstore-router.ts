/** Object-store connectors: create, get, list, change, delete, test. */

import { z } from "zod";
import { authed, router } from "../../api/http/routing/trpc.ts";
import { nextPageToken, pageQuery } from "../../api/paging/page-token.ts";
import { checkObjectStore } from "./address-rules.ts";
import {
  assertCredentialsSent,
  type ConnectorOwner,
  changeConnector,
  createConnector,
  deleteConnector,
  requireConnector,
} from "./changes.ts";
import { checkReport } from "./check-report.ts";
import type { ObjectStoreAddress } from "./connector.ts";
import { connectorPage } from "./connector-page.ts";
import {
  deletedRecord,
  objectStoreMetadata,
  objectStoreRecord,
  toMetadata,
  toObjectStore,
} from "./records.ts";
import {
  connectorName,
  createObjectStore,
  deleteConnectorRequest,
  PATCH_DESCRIPTION,
  patchObjectStore,
} from "./requests.ts";
import { testObjectStore } from "./test-connector.ts";

const KIND = "objstore";
const tags = ["Connectors"];
const path = z.strictObject({ connector_name: connectorName });
const ROOT = "/v1/connectors/objstore";
const ONE = `${ROOT}/{connector_name}` as const;

export const objectStoresRouter = (owner: ConnectorOwner) =>
  router({
    create: authed("connectors:write")
      .meta({
        openapi: {
          method: "POST",
          path: ROOT,
          summary: "Create Object-Store Connector",
          tags,
          creates: true,
          errors: ["conflict"],
        },
      })
      .input(createObjectStore)
      .output(objectStoreRecord)
      .mutation(async ({ ctx, input }) => {
        const { connector_name, url, credential_name, credentials = null, ...rest } = input;
        const settings = {
          url,
          endpoint: rest.endpoint ?? null,
          region: rest.region ?? null,
          path_style: rest.path_style ?? null,
        };
        checkObjectStore(ctx.services, settings, credentials !== null);
        const draft = { credentialName: credential_name ?? "", settings, credentials };
        return toObjectStore(await createConnector(ctx, owner, KIND, connector_name, draft));
      }),

    list: authed("connectors:read")
      .meta({
        openapi: {
          method: "GET",
          path: ROOT,
          summary: "List Object-Store Connectors",
          description: "Newest first.",
          tags,
        },
      })
      .input(z.strictObject(pageQuery))
      .output(z.object({ items: z.array(objectStoreRecord), next_page_token: nextPageToken }))
      .query(async ({ ctx, input }) => {
        const page = await connectorPage(ctx, KIND, input);
        return { items: page.entries.map(toObjectStore), next_page_token: page.next_page_token };
      }),

    get: authed("connectors:read")
      .meta({
        openapi: {
          method: "GET",
          path: ONE,
          summary: "Get Object-Store Connector",
          description: "Metadata only: credentials are never returned.",
          tags,
          errors: ["not-found"],
        },
      })
      .input(path)
      .output(objectStoreMetadata)
      .query(async ({ ctx, input }) =>
        toMetadata(await requireConnector(ctx, KIND, input.connector_name)),
      ),

    patch: authed("connectors:write")
      .meta({
        openapi: {
          method: "PATCH",
          path: ONE,
          summary: "Update Object-Store Connector",
          description: PATCH_DESCRIPTION,
          tags,
          errors: ["not-found"],
        },
      })
      .input(patchObjectStore)
      .output(objectStoreRecord)
      .mutation(async ({ ctx, input }) => {
        const { connector_name, credential_name, credentials, ...address } = input;
        const changed = await changeConnector(
          ctx,
          owner,
          KIND,
          connector_name,
          async (connector) => {
            const settings = merged(connector.settings, address);
            const kept = credentials === undefined && connector.sealed !== null;
            checkObjectStore(ctx.services, settings, kept || credentials != null);
            assertCredentialsSent(
              connector,
              credentials,
              settings.endpoint !== connector.settings.endpoint,
            );
            return {
              credentialName:
                credential_name === undefined ? connector.credentialName : (credential_name ?? ""),
              settings,
              credentials,
            };
          },
        );
        return toObjectStore(changed);
      }),

    delete: authed("connectors:write")
      .meta({
        openapi: {
          method: "DELETE",
          path: ONE,
          summary: "Delete Object-Store Connector",
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
          summary: "Test Object-Store Connector",
          description:
            "Whether its server can be reached, takes the credentials, lists objects and gives one to read. 200 whatever the outcome; it ends after 10 s.",
          tags,
          errors: ["not-found"],
        },
      })
      .input(path)
      .output(checkReport)
      .mutation(async ({ ctx, input }) =>
        testObjectStore(ctx, await requireConnector(ctx, KIND, input.connector_name)),
      ),
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
