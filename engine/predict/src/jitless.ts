/** Loaded first: schemas that are made after it compile no functions, which strict pages forbid. */

import { z } from "zod";

z.config({ jitless: true });
