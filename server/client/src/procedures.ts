/**
 * The service's procedures, by name: what they take, what they answer. Here the types follow the router
 * itself; the built package has them written out (`scripts/packages/client-types.ts`), since nobody who
 * calls a service has its sources.
 */

import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "../../src/router.ts";

/** What each procedure takes, as one flat object: `Inputs["models"]["get"]`. */
export type Inputs = inferRouterInputs<AppRouter>;
/** What each procedure answers: `Outputs["models"]["get"]`. */
export type Outputs = inferRouterOutputs<AppRouter>;

type Record = AppRouter["_def"]["record"];
/** Whether a procedure is a query or a mutation. */
export type Kinds = {
  readonly [Name in keyof Record]: {
    readonly [Procedure in keyof Record[Name]]: Record[Name][Procedure] extends {
      readonly _def: { readonly type: infer Kind };
    }
      ? Kind
      : never;
  };
};
