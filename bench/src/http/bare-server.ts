/**
 * The least that could answer, as a process of its own: `node:http`, or Fastify, with or without the
 * one statement of Get Table and no service around it. Says `listening <url>` when it does.
 *
 * Usage: bare-server.ts http | fastify | fastify-sql <home of a running server>
 */

import { createServer } from "node:http";
import process from "node:process";
import Fastify from "fastify";
import { joinEmbedded } from "../../../server/src/platform/db/embedded/embedded.ts";
import { connect } from "../../../server/src/platform/db/sql.ts";

const say = (address: string): void => {
  process.stdout.write(`listening ${address}\n`);
};

function serveHttp(): void {
  const body = JSON.stringify({ status: "ok" });
  const headers = { "content-type": "application/json", "content-length": body.length };
  const server = createServer((_request, response) => {
    response.writeHead(200, headers);
    response.end(body);
  });
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    say(`http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`);
  });
}

async function serveFastify(home: string | undefined): Promise<void> {
  const app = Fastify({ logger: false });
  app.get("/", async () => ({ status: "ok" }));
  if (home !== undefined) {
    const sql = connect(await joinEmbedded(home), { max: 10 });
    const [workspace] = await sql`select organization_id from workspaces limit 1`;
    const organizationId: string = workspace?.["organization_id"];
    // As the service's store asks for it.
    app.get<{ Params: Record<"w" | "c" | "s" | "t", string> }>(
      "/workspaces/:w/catalogs/:c/schemas/:s/tables/:t",
      async ({ params: { w, c, s, t } }, reply) => {
        const [row] = await sql`
          select t.id, t.catalog, t.schema, t.name, t.spec, t.revision_hash, t.revision,
                 t.created_at, t.updated_at
          from catalog_tables t
          join workspaces w on w.organization_id = t.organization_id and w.name = ${w}
          where t.organization_id = ${organizationId} and t.catalog = ${c}
            and t.schema = ${s} and t.name = ${t}`;
        return reply.send(row);
      },
    );
  }
  say(await app.listen({ port: 0, host: "127.0.0.1" }));
}

const [kind, home] = process.argv.slice(2);
if (kind === "http") serveHttp();
else await serveFastify(home);
