/**
 * Property tests draw the same cases in every run, so that a failure is one of the change at hand.
 * PROPERTY_SEED takes another number, or `random` for a new one each time.
 */

import process from "node:process";
import fc from "fast-check";

const given = process.env["PROPERTY_SEED"];
if (given !== "random")
  fc.configureGlobal({ seed: given === undefined ? 20_260_101 : Number(given) });
