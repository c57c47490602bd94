/** A process that looks for adapters with a driver that fails: `crash` ends it, `hang` lets it say nothing. */

import process from "node:process";

process.once("message", (choices: readonly { readonly name?: string }[]) => {
  if (choices[0]?.name === "crash") process.kill(process.pid, "SIGSEGV");
});
