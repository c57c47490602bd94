/** Credentials of connectors: their form in requests, and their sealing for one connector alone. */

import { z } from "zod";
import type { Services } from "../../api/services.ts";
import { unprocessable } from "../../platform/input/problem.ts";
import type { Logger } from "../../platform/log.ts";
import { type Sealer, UnsealError } from "../../platform/secrets/seal.ts";
import { SourceError } from "../../query/sources/source-error.ts";
import type {
  Connector,
  ConnectorKind,
  ConnectorOf,
  CredentialsOf,
  Engine,
  WarehouseCredentials,
} from "./connector.ts";
import { replaceSealed, sealedOtherwise } from "./store.ts";

/** Printable ASCII: what a header or a protocol's message takes as it is. */
const token = z
  .string()
  .min(1)
  .max(8192)
  .regex(/^[\x21-\x7e]+$/);
const text = z.string().min(1).max(8192);

export const credentialsOf = {
  objstore: z.strictObject({
    access_key_id: token,
    secret_access_key: token,
    session_token: token.optional(),
  }),
  warehouse: z.strictObject({
    username: text.optional(),
    password: text.optional(),
    token: token.optional(),
  }),
} satisfies { [Kind in ConnectorKind]: z.ZodType<CredentialsOf[Kind]> };

/**
 * What of them an engine takes.
 *
 * @throws UnprocessableError
 */
export function checkWarehouseCredentials(
  engine: Engine,
  credentials: WarehouseCredentials | null,
): void {
  if (credentials === null) return;
  const { username, password, token: bearer } = credentials;
  const loc = ["body", "credentials"];
  if (bearer !== undefined && engine === "postgres") {
    throw unprocessable([...loc, "token"], "PostgreSQL takes a username and a password, no token");
  }
  if (bearer !== undefined && password !== undefined) {
    throw unprocessable([...loc, "token"], "send a token or a password, not both");
  }
  if (password !== undefined && username === undefined) {
    throw unprocessable([...loc, "username"], "Field required", { type: "missing" });
  }
}

type Owner = Pick<Connector, "organizationId" | "id">;

const ownerOf = ({ organizationId, id }: Owner): readonly string[] => [organizationId, id];

export function sealCredentials(
  sealer: Sealer,
  owner: Owner,
  credentials: CredentialsOf[ConnectorKind] | null,
): string | null {
  return credentials === null ? null : sealer.seal(JSON.stringify(credentials), ownerOf(owner));
}

const readers: { readonly [Kind in ConnectorKind]: (value: unknown) => CredentialsOf[Kind] } = {
  objstore: (value) => credentialsOf.objstore.parse(value),
  warehouse: (value) => credentialsOf.warehouse.parse(value),
};

/** @throws SourceError where they were sealed with a key that this service does not have */
export function openCredentials<Kind extends ConnectorKind>(
  sealer: Sealer,
  kind: Kind,
  connector: Pick<ConnectorOf<Kind>, "organizationId" | "id" | "name" | "sealed">,
): CredentialsOf[Kind] | null {
  const { sealed, name } = connector;
  if (sealed === null) return null;
  try {
    return readers[kind](JSON.parse(sealer.open(sealed, ownerOf(connector))));
  } catch (error) {
    if (!(error instanceof UnsealError)) throw error;
    throw new SourceError(
      "refused",
      `The credentials of the connector '${name}' were sealed with a key that this service no longer has; enter them again.`,
      { cause: error },
    );
  }
}

const BATCH = 500;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

/**
 * Seals with the current key what a previous one sealed, so that a key can be dropped once every
 * server has started with the new one. What no known key opens stays as it is.
 */
export async function resealCredentials(
  { db, sealer }: Pick<Services, "db" | "sealer">,
  log: Logger,
): Promise<void> {
  let [resealed, unknown, afterId] = [0, 0, FIRST_ID];
  for (;;) {
    const rows = await sealedOtherwise(db, sealer.keyId, afterId, BATCH);
    for (const row of rows) {
      afterId = row.id;
      try {
        const credentials = sealer.open(row.sealed, ownerOf(row));
        await replaceSealed(db, row, sealer.seal(credentials, ownerOf(row)));
        resealed += 1;
      } catch (error) {
        if (!(error instanceof UnsealError)) throw error;
        unknown += 1;
      }
    }
    if (rows.length < BATCH) break;
  }
  if (resealed > 0)
    log.info({ resealed }, "credentials of connectors were sealed with the current key");
  if (unknown > 0) {
    log.warn({ unknown }, "credentials of connectors do not open with any key of this service");
  }
}
