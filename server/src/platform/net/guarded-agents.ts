/** Agents of `node:http` and `node:https` over the way out, for clients that bring their own HTTP. */

import { type AgentOptions, Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type HttpDestination, httpConnection } from "./http-connection.ts";
import type { Outbound } from "./outbound.ts";

export interface GuardedAgents {
  readonly httpAgent: HttpAgent;
  readonly httpsAgent: HttpsAgent;
}

type Created = (error: Error | null, socket: Duplex) => void;

interface Asked {
  readonly host?: string | null;
  readonly port?: number | string | null;
}

export function guardedAgents(outbound: Outbound, options: AgentOptions): GuardedAgents {
  const open = (to: HttpDestination, created: Created | undefined): null => {
    httpConnection((...where) => outbound.connect(...where), to).then(
      (socket) => created?.(null, socket),
      // Node looks at no socket that comes with an error.
      (error: unknown) =>
        created?.(error instanceof Error ? error : new Error(String(error)), new Socket()),
    );
    return null;
  };
  class GuardedHttpAgent extends HttpAgent {
    override createConnection({ host, port }: Asked, created?: Created): null {
      return open({ host: host ?? "", port: Number(port) || 80, encrypted: false }, created);
    }
  }
  class GuardedHttpsAgent extends HttpsAgent {
    override createConnection({ host, port }: Asked, created?: Created): null {
      return open({ host: host ?? "", port: Number(port) || 443, encrypted: true }, created);
    }
  }
  return { httpAgent: new GuardedHttpAgent(options), httpsAgent: new GuardedHttpsAgent(options) };
}
