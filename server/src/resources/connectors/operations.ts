/** What the operations of both kinds of connectors say, and those that are the same for both. */

import { z } from "zod";
import type { AuthedContext } from "../../api/context/context.ts";
import { authed } from "../../api/http/routing/trpc.ts";
import { resourceOperations } from "../../api/resource/operations.ts";
import { type ConnectorOwner, deleteConnector, requireConnector } from "./changes.ts";
import { type CheckReport, checkReport } from "./check-report.ts";
import type { ConnectorKind, ConnectorOf } from "./connector.ts";
import { deletedRecord } from "./records.ts";
import { connectorName, deleteConnectorRequest } from "./requests.ts";

/** The input of operations on one connector that take nothing else. */
export const connectorPath = z.strictObject({ connector_name: connectorName });

export const connectorOperations = (kind: ConnectorKind, title: string) =>
  resourceOperations({
    collection: `/v1/connectors/${kind}`,
    parameter: "connector_name",
    title,
    tags: ["Connectors"],
  });

/** `delete` and `test`. */
export const endingProcedures = <Kind extends ConnectorKind>(
  owner: ConnectorOwner,
  kind: Kind,
  says: ReturnType<typeof connectorOperations>,
  {
    test,
    description,
  }: {
    test(ctx: AuthedContext, connector: ConnectorOf<Kind>): Promise<CheckReport>;
    readonly description: string;
  },
) => ({
  delete: authed("connectors:write")
    .meta(says.delete())
    .input(deleteConnectorRequest)
    .output(deletedRecord)
    .mutation(async ({ ctx, input: { connector_name, force } }) => {
      const id = await deleteConnector(ctx, owner, kind, connector_name, force);
      return { id, deleted: true };
    }),

  // It sends credentials and bytes over the network, which is more than looking.
  test: authed("connectors:write")
    .meta(says.action("Test", { description }))
    .input(connectorPath)
    .output(checkReport)
    .mutation(async ({ ctx, input }) =>
      test(ctx, await requireConnector(ctx, kind, input.connector_name)),
    ),
});
