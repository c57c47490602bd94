/** Pages of an organization's connectors of one kind, newest first. */

import type { AuthedContext } from "../../api/context/context.ts";
import { CreationPages } from "../../api/paging/page-end.ts";
import { cutPage } from "../../api/paging/page-token.ts";
import type { ConnectorKind } from "./connector.ts";
import { listConnectors } from "./store.ts";

export async function connectorPage<Kind extends ConnectorKind>(
  { services, auth }: AuthedContext,
  kind: Kind,
  { limit, page_token }: { readonly limit: number; readonly page_token?: string | undefined },
) {
  const filter = [auth.organizationId];
  const pages = new CreationPages(services, `${kind}_connectors`);
  const after = pages.read(filter, page_token);
  const rows = await listConnectors(services.db, auth.organizationId, kind, limit, after);
  return cutPage(rows, limit, ({ id, createdAt }) =>
    pages.write(filter, { id, created_at: createdAt }),
  );
}
