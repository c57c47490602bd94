/** Whether long variants were asked for, which continuous integration does. */

import process from "node:process";

export const IS_LONG = Boolean(process.env["DISTILLERY_LONG"]);
