/** What an API key can be granted, for whoever grants it. */

import { z } from "zod";
import { AREAS, type Area, GRANTS, type Grant } from "../../api/context/scopes.ts";
import { authed, router } from "../../api/http/routing/trpc.ts";

/** What each area is, for whoever grants rights in it. */
const AREA_WORDS: Readonly<Record<Area, string>> = {
  organization: "API keys, retention and quotas, the audit log.",
  workspace: "Catalogs, schemas and tables; SQL queries.",
  connectors:
    "Connectors to object stores and warehouses; defining what reads by one takes the right to read them.",
  datasets: "Datasets.",
  training: "Training jobs and their reports.",
  models: "Models, their names and evaluations; reading includes predicting and explaining.",
  serving: "Serving endpoints and batch predictions; reading includes predicting by an endpoint.",
  documents: "Documents, their schemas and what is extracted from them.",
};

const scopeSchema = z
  .object({
    scope: z.enum(GRANTS as [Grant, ...Grant[]]).meta({ description: "As a key is granted it." }),
    area: z.enum(AREAS).nullable().meta({ description: "Null of `*`, which is everything." }),
    action: z.enum(["read", "write"]).nullable().meta({
      description: "To write includes to read; null of `*`.",
    }),
    description: z.string(),
  })
  .meta({ id: "Scope" });

const describeScope = (scope: Grant): z.infer<typeof scopeSchema> => {
  const area = AREAS.find((each) => scope.startsWith(`${each}:`)) ?? null;
  if (area === null) return { scope, area, action: null, description: "Everything." };
  const action = scope.endsWith(":write") ? "write" : "read";
  return { scope, area, action, description: AREA_WORDS[area] };
};

const scopes = authed("any")
  .meta({
    openapi: {
      method: "GET",
      path: "/v1/scopes",
      summary: "List Scopes",
      description: "What an API key can be granted.",
      tags: ["Organization"],
    },
  })
  .input(z.strictObject({}))
  .output(z.object({ scopes: z.array(scopeSchema).meta({ description: "All there are." }) }))
  .query(() => ({ scopes: GRANTS.map(describeScope) }));

export const scopesRouter = router({ list: scopes });
