/**
 * Takes the network from this process: what it reads may name addresses, and no library that reads it is to
 * go there, whatever its options. (Node's permission model does not know the network.)
 */

import { Socket } from "node:net";

export function refuseNetwork(): void {
  const refuse = (): never => {
    throw new Error("this process has no network");
  };
  Socket.prototype.connect = refuse;
  globalThis.fetch = refuse;
}
