/**
 * PATCH of a resource under a field mask: what the resource is to be, from what it is and what the
 * request says. Validation comes after the merge, so that a request under a mask need hold no more
 * than what the mask names; its faults lie under `body` as in a request without one.
 */
import { z } from "zod";
import { UnprocessableError, unprocessable } from "../../platform/input/problem.ts";
import { bodyErrors } from "../../platform/input/validation-errors.ts";
import {
  FieldMaskError,
  type MaskMessage,
  mergeFields,
  parseFieldMask,
  presentFields,
  writable,
} from "./field-mask.ts";

type Members = Readonly<Record<string, unknown>>;

/** The query member of a PATCH. */
export const updateMask = z
  .string()
  .optional()
  .meta({
    description:
      "The members to write: paths joined by commas, in lowerCamelCase or snake_case; `.` descends into " +
      "a member. A member that the mask names and the body lacks is cleared; one that it does not " +
      "name is neither read nor required. `*` replaces all that can be written; absent or empty = the " +
      "top-level members of the body, each as a whole. Output-only members may be named, to no effect.",
  });

/**
 * The body of a PATCH as the procedure takes it: any object, because what must be in it depends on
 * the mask. In the document it is the request form.
 *
 * @param id the `id` that the request form carries in the document
 */
export const patchBody = (id: string) =>
  z.looseObject({}).meta({ override: { $ref: `#/components/schemas/${id}` } });

export interface PatchInput<Form extends z.ZodType> {
  /** The request form: what a whole resource must hold. */
  readonly form: Form;
  readonly fields: MaskMessage;
  /** `updateMask` of the query. */
  readonly mask?: string | undefined;
  readonly body: Members;
  /** Whether a body without a mask must be a whole resource, though only its members are written. */
  readonly isWhole?: boolean;
}

/** A PATCH whose own faults are found; whether its result is whole depends on what it is put onto. */
export interface Patch<Resource> {
  /**
   * The request form of the resource as the PATCH leaves it.
   *
   * @param stored the writable members as they are, null where there is no resource yet
   *   (`allowMissing`): then the body must be a whole one, whatever the mask
   * @throws UnprocessableError under `body`
   */
  onto(stored: Members | null): Resource;
}

/** @throws UnprocessableError at `query.updateMask`, or under `body` where there is no mask */
export function readPatch<Form extends z.ZodType>(input: PatchInput<Form>): Patch<z.output<Form>> {
  const { form, fields, body } = input;
  const mask = readMask(input.mask, fields);
  if (mask === null && input.isWhole === true) validated(form, body);
  const names = new Set(writable(fields));
  return {
    onto(stored) {
      if (stored === null) return validated(form, body);
      return validated(form, {
        ...Object.fromEntries(Object.entries(body).filter(([name]) => !names.has(name))),
        ...mergeFields(fields, mask ?? presentFields(fields, body), stored, body),
      });
    },
  };
}

function readMask(text: string | undefined, fields: MaskMessage) {
  try {
    return parseFieldMask(text ?? null, fields);
  } catch (error) {
    if (!(error instanceof FieldMaskError)) throw error;
    throw unprocessable(["query", "updateMask"], error.message, { input: text });
  }
}

function validated<Form extends z.ZodType>(form: Form, body: unknown): z.output<Form> {
  const parsed = form.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new UnprocessableError(bodyErrors(parsed.error, body, form));
}
