/** The thread that holds a device (`desk-work.ts`). */

import { workDesk } from "./desk-work.ts";

await workDesk();
