/** API keys and the caller's own organization. */
import { z } from "zod";
import { createApiKey, hashApiKey, visiblePrefix } from "../../api/auth/api-key.ts";
import {
  type ApiKeyRow,
  endOfKey,
  getOrganization,
  insertKey,
  listKeys,
} from "../../api/auth/key-store.ts";
import { revokeEverywhere } from "../../api/auth/revocation.ts";
import { allows, GRANTS } from "../../api/context/scopes.ts";
import { authed, router } from "../../api/http/routing/trpc.ts";
import { CreationPages } from "../../api/paging/page-end.ts";
import { cutPage, nextPageToken, pageQuery } from "../../api/paging/page-token.ts";
import { displayName } from "../../platform/input/display-name.ts";
import { moment } from "../../platform/input/moment.ts";
import { notFound, unprocessable } from "../../platform/input/problem.ts";

const grantSchema = z.enum(GRANTS as [string, ...string[]]).meta({
  description: "`<area>:read`, `<area>:write` (which includes read), or `*` for everything.",
});

const apiKeyFields = {
  id: z.uuid(),
  name: z.string(),
  prefix: z.string().meta({ description: "The first characters, to tell keys apart." }),
  scopes: z.array(z.string()),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime().nullable(),
};
const apiKeySchema = z.object(apiKeyFields).meta({ id: "ApiKey" });
const createdApiKeySchema = z
  .object({
    ...apiKeyFields,
    key: z.string().meta({ description: "The key itself. It is shown here and never again." }),
  })
  .meta({ id: "CreatedApiKey" });

const toApiKey = (row: ApiKeyRow) => ({
  id: row.id,
  name: row.name,
  prefix: row.prefix,
  scopes: [...row.scopes],
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at?.toISOString() ?? null,
});

const tags = ["Organization"];

const create = authed("organization:write")
  .meta({
    openapi: {
      method: "POST",
      path: "/v1/api_keys",
      summary: "Create API Key",
      description:
        "The answer contains the key, which is shown only once. A key can be granted only what its creator may do. " +
        "Without `expires_at` it expires when the key does that it is created with, or never where that is for good; " +
        "it cannot outlive that key.",
      tags,
      creates: true,
    },
  })
  .input(
    z.strictObject({
      name: displayName(),
      scopes: z.array(grantSchema).min(1).max(GRANTS.length).default(["*"]),
      expires_at: moment.nullish(),
    }),
  )
  .output(createdApiKeySchema)
  .mutation(async ({ ctx, input }) => {
    const { auth, services } = ctx;
    const scopes = [...new Set(input.scopes)];
    const beyond = scopes.findIndex((scope) => !allows(auth.scopes, scope));
    if (beyond >= 0) {
      throw unprocessable(
        ["body", "scopes", input.scopes.indexOf(scopes[beyond]!)],
        `you may not grant ${scopes[beyond]}, which your own token does not have`,
      );
    }
    const expiresAt = input.expires_at == null ? null : new Date(input.expires_at);
    if (expiresAt !== null && expiresAt.getTime() <= Date.now()) {
      throw unprocessable(["body", "expires_at"], "it lies in the past");
    }
    const key = createApiKey();
    return services.db.forOrganization(auth.organizationId, async (sql) => {
      const latest = auth.keyId === null ? null : await endOfKey(sql, auth.keyId);
      const row = {
        id: ctx.newId(),
        name: input.name,
        prefix: visiblePrefix(key),
        scopes,
        expires_at: withinLatest(input.expires_at === undefined ? latest : expiresAt, latest),
      };
      const created_at = await insertKey(sql, auth.organizationId, {
        ...row,
        hash: hashApiKey(key),
        origin: "created",
        createdBy: auth.subject,
        expiresAt: row.expires_at,
      });
      return { ...toApiKey({ ...row, created_at }), key };
    });
  });

/** @param latest when the key ends that creates this one: what has an end hands on nothing without */
function withinLatest(expiresAt: Date | null, latest: Date | null): Date | null {
  if (latest === null || (expiresAt !== null && expiresAt <= latest)) return expiresAt;
  throw unprocessable(
    ["body", "expires_at"],
    `the key that creates it expires at ${latest.toISOString()}: give that time or an earlier one, or leave it out`,
  );
}

const list = authed("organization:read")
  .meta({
    openapi: {
      method: "GET",
      path: "/v1/api_keys",
      summary: "List API Keys",
      description: "Newest first, without those that were revoked.",
      tags,
    },
  })
  .input(z.strictObject(pageQuery))
  .output(z.object({ api_keys: z.array(apiKeySchema), next_page_token: nextPageToken }))
  .query(async ({ ctx, input }) => {
    const { organizationId } = ctx.auth;
    const { limit, page_token } = input;
    const pages = new CreationPages(ctx.services, "api_keys");
    const after = pages.read([organizationId], page_token);
    const rows = await listKeys(ctx.services.db, organizationId, limit, after);
    const page = cutPage(rows, limit, (last) => pages.write([organizationId], last));
    return { api_keys: page.entries.map(toApiKey), next_page_token: page.next_page_token };
  });

const revoke = authed("organization:write")
  .meta({
    openapi: {
      method: "DELETE",
      path: "/v1/api_keys/{api_key_id}",
      summary: "Revoke API Key",
      description: "When it is answered, no process of the service takes the key any more.",
      tags,
      errors: ["not-found"],
    },
  })
  .input(z.strictObject({ api_key_id: z.uuid() }))
  .output(z.object({ id: z.string(), deleted: z.boolean() }))
  .mutation(async ({ ctx, input }) => {
    const id = input.api_key_id.toLowerCase();
    if (!(await revokeEverywhere(ctx.services.db, ctx.auth.organizationId, id))) {
      throw notFound("API key");
    }
    return { id, deleted: true };
  });

const whoami = authed("any")
  .meta({
    openapi: {
      method: "GET",
      path: "/v1/organization",
      summary: "Get Organization",
      description: "The caller's organization, and what the token that was sent may do.",
      tags,
    },
  })
  .output(
    z.object({
      id: z.uuid(),
      name: z.string(),
      created_at: z.iso.datetime(),
      caller: z.object({
        kind: z.enum(["api_key", "oidc"]),
        subject: z.string(),
        scopes: z.array(z.string()),
      }),
    }),
  )
  .query(async ({ ctx }) => {
    const { auth, services } = ctx;
    const organization = await getOrganization(services.db, auth.organizationId);
    if (organization === null) throw notFound("organization");
    return {
      id: organization.id,
      name: organization.slug,
      created_at: organization.created_at.toISOString(),
      caller: { kind: auth.kind, subject: auth.subject, scopes: [...auth.scopes].sort() },
    };
  });

export const apiKeysRouter = router({ create, list, revoke });
export const organizationRouter = router({ get: whoami });
