/** Connectors as the API shows them: never with credentials. */

import { z } from "zod";
import {
  type Connector,
  ENGINES,
  type ObjectStoreConnector,
  type WarehouseConnector,
} from "./connector.ts";

const identity = {
  id: z.uuid(),
  short_id: z.string(),
  credential_name: z.string().meta({ description: "Empty where there is none." }),
};
const times = { created_at: z.iso.datetime(), updated_at: z.iso.datetime() };

/** What Get answers. */
export const objectStoreMetadata = z.object(identity).meta({ id: "ObjectStoreConnectorMetadata" });

export const objectStoreRecord = z
  .object({
    connector_name: z.string(),
    ...identity,
    url: z.string(),
    endpoint: z.string().nullable(),
    region: z.string().nullable(),
    path_style: z.boolean().nullable(),
    ...times,
  })
  .meta({ id: "ObjectStoreConnector" });

/** What List answers of each. */
export const warehouseName = z
  .object({ connector_name: z.string() })
  .meta({ id: "WarehouseConnectorName" });

export const warehouseRecord = z
  .object({
    connector_name: z.string(),
    ...identity,
    kind: z.enum(ENGINES),
    url: z.string(),
    ...times,
  })
  .meta({ id: "WarehouseConnector" });

export const deletedRecord = z.object({ id: z.uuid(), deleted: z.boolean() });

export const toMetadata = (connector: Connector): z.infer<typeof objectStoreMetadata> => ({
  id: connector.id,
  short_id: connector.id.slice(0, 8),
  credential_name: connector.credentialName,
});

const timesOf = ({ createdAt, updatedAt }: Connector) => ({
  created_at: createdAt.toISOString(),
  updated_at: updatedAt.toISOString(),
});

export const toObjectStore = (
  connector: ObjectStoreConnector,
): z.infer<typeof objectStoreRecord> => ({
  connector_name: connector.name,
  ...toMetadata(connector),
  url: connector.settings.url,
  endpoint: connector.settings.endpoint,
  region: connector.settings.region,
  path_style: connector.settings.path_style,
  ...timesOf(connector),
});

export const toWarehouse = (connector: WarehouseConnector): z.infer<typeof warehouseRecord> => ({
  connector_name: connector.name,
  ...toMetadata(connector),
  kind: connector.settings.engine,
  url: connector.settings.url,
  ...timesOf(connector),
});
