/** The inputs of operations that create and change connectors. */

import { z } from "zod";
import { displayNameOrEmpty } from "../../platform/input/display-name.ts";
import { secret } from "../../platform/input/schema-view.ts";
import { CONNECTOR_ID, ENGINES } from "./connector.ts";
import { credentialsOf } from "./credentials.ts";

const URL_LIMIT = 2048;

export const connectorName = z.string().max(255).regex(CONNECTOR_ID).meta({
  description:
    "The last segment of `workspaces/{workspace}/connectors/{connector}`; both kinds share one space of names.",
});

const url = z.string().min(1).max(URL_LIMIT);
const credentialName = displayNameOrEmpty(255).nullable().optional().meta({
  description: "A name for the credentials; it is shown, the credentials never are.",
});

const objectStoreAddress = {
  endpoint: z.string().min(1).max(URL_LIMIT).nullable().optional().meta({
    description: "URL of a server of the S3 API; absent or null = Amazon's own of the region.",
  }),
  region: z
    .string()
    .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/)
    .nullable()
    .optional()
    .meta({ description: "Absent or null = us-east-1." }),
  path_style: z.boolean().nullable().optional().meta({
    description:
      "Whether the bucket stands in the path and not in the host; absent or null = where an endpoint is given.",
  }),
};
const objectStoreUrl = url.meta({
  description:
    "`s3://bucket/prefix`, or `file:///folder/` below a folder that the operator allowed. Nothing outside it is within reach.",
});

export const createObjectStore = z
  .strictObject({
    connector_name: connectorName,
    url: objectStoreUrl,
    ...objectStoreAddress,
    credential_name: credentialName,
    credentials: secret(credentialsOf.objstore).nullable().optional().meta({
      description: "Absent or null = requests are anonymous.",
    }),
  })
  .meta({ id: "ObjectStoreConnectorRequest" });

export const patchObjectStore = z
  .strictObject({
    connector_name: connectorName,
    url: objectStoreUrl.optional(),
    ...objectStoreAddress,
    credential_name: credentialName,
    credentials: secret(credentialsOf.objstore).nullable().optional(),
  })
  .meta({ id: "ObjectStoreConnectorPatch" });

const warehouseUrl = url.meta({
  description:
    "`postgres://host:5432/database?sslmode=require`, or the https URL of a Trino coordinator.",
});

/** Which credentials there are depends on the engine, which a PATCH does not name. */
export const createWarehouse = z
  .strictObject({
    connector_name: connectorName,
    kind: z.enum(ENGINES),
    url: warehouseUrl,
    credential_name: credentialName,
    credentials: secret(credentialsOf.warehouse).nullable().optional(),
  })
  .meta({ id: "WarehouseConnectorRequest" });

export const patchWarehouse = z
  .strictObject({
    connector_name: connectorName,
    url: warehouseUrl.optional(),
    credential_name: credentialName,
    credentials: secret(credentialsOf.warehouse).nullable().optional(),
  })
  .meta({ id: "WarehouseConnectorPatch" });

export const deleteConnectorRequest = z.strictObject({
  connector_name: connectorName,
  force: z.boolean().default(false).meta({
    description:
      "Delete it even if catalogs, schemas or tables read from it; they stay, and cannot be read.",
  }),
});

/** The description of both PATCHes. */
export const PATCH_DESCRIPTION =
  "Members that are present change, null clears those that may be absent. Credentials are replaced as a whole; where the server's address changes they must be sent again, so that they are never sent to a server that they were not given for.";
