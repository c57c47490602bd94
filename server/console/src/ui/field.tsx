/** A labelled control with its hint and with what the service said is wrong with it. */

import { ServiceError } from "@distillery/client";
import { type ReactNode, useId } from "react";
import { faultText } from "./fault-text.ts";

/** To be spread over the control itself. */
export interface ControlProps {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": true | undefined;
}

interface FieldProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  /** What is wrong with it; see `faultAt`. */
  readonly fault?: string | undefined;
  readonly children: (control: ControlProps) => ReactNode;
}

export function Field({ label, hint, fault, children }: FieldProps) {
  const id = useId();
  const described = [hint ? `${id}-hint` : "", fault ? `${id}-fault` : ""]
    .filter(Boolean)
    .join(" ");
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        "aria-describedby": described === "" ? undefined : described,
        "aria-invalid": fault ? true : undefined,
      })}
      {hint && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {fault && (
        <p className="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  );
}

/**
 * What a refused request says of one of its members.
 *
 * @param place the member's place below the body, such as `task.label_column`
 */
export function faultAt(error: unknown, place: string): string | undefined {
  if (!(error instanceof ServiceError)) return undefined;
  return textOf(error.faults.find(({ loc }) => placeOf(loc) === place));
}

/** The same of a member and all below it: the first fault, such as of `metrics.1` for `metrics`. */
export function faultWithin(error: unknown, place: string): string | undefined {
  if (!(error instanceof ServiceError)) return undefined;
  const fault = error.faults.find(({ loc }) => `${placeOf(loc)}.`.startsWith(`${place}.`));
  return textOf(fault);
}

const textOf = (fault: { readonly msg: string } | undefined): string | undefined =>
  fault && faultText(fault.msg);

const PARTS: readonly unknown[] = ["body", "query", "path", "header"];

/** Below the part of the request, which calls of procedures do not name. */
export const placeOf = (loc: readonly (string | number)[]): string =>
  (PARTS.includes(loc[0]) ? loc.slice(1) : loc).join(".");
