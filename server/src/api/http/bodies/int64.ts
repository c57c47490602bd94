/**
 * int64 as ProtoJSON has it: requests may write an integer or its decimal text, responses write the
 * text, which no JSON reader rounds. Inside the service it is the text.
 */
import { z } from "zod";

const TEXT = /^-?(?:0|[1-9][0-9]*)$/;
const LARGEST = 2n ** 63n - 1n;

export interface Int64Bounds {
  /** Greater than. */
  readonly gt?: number;
  /** Greater than or equal to. */
  readonly ge?: number;
}

interface Fault {
  readonly type: string;
  readonly message: string;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** An int64 of a request: an integer or its decimal text, given on as decimal text. */
export function int64(bounds: Int64Bounds = {}) {
  return z
    .unknown()
    .transform((value, ctx): string => {
      const read = readInt64(value, bounds);
      if (typeof read === "string") return read;
      const { message, ...params } = read;
      ctx.addIssue({ code: "custom", message, params });
      return z.NEVER;
    })
    .meta({
      override: {
        anyOf: [
          {
            type: "integer",
            ...(bounds.gt === undefined ? {} : { exclusiveMinimum: bounds.gt }),
            ...(bounds.ge === undefined ? {} : { minimum: bounds.ge }),
          },
          { type: "string", pattern: patternWithin(bounds) },
        ],
      },
    });
}

/** What a pattern can say of the bounds: no minus sign below 0, and not 0 itself above it. */
function patternWithin({ gt, ge }: Int64Bounds): string {
  if (gt !== undefined && gt >= 0) return "^[1-9][0-9]*$";
  if ((ge ?? gt ?? -1) >= 0) return "^(?:0|[1-9][0-9]*)$";
  return TEXT.source;
}

function readInt64(value: unknown, { gt, ge }: Int64Bounds): string | Fault {
  if (value === undefined) return { type: "missing", message: "Field required" };
  if (typeof value === "number" && !Number.isSafeInteger(value)) {
    return Number.isInteger(value)
      ? {
          type: "int_parsing_size",
          message:
            "Unable to parse input as an integer, exceeded maximum size; send it as a string",
        }
      : {
          type: "int_from_float",
          message: "Input should be a valid integer, got a number with a fractional part",
        };
  }
  if (typeof value !== "number" && typeof value !== "string") {
    return { type: "int_type", message: "Input should be a valid integer" };
  }
  // -0 has no text of its own.
  const text = typeof value === "number" ? String(value) : value;
  if (!TEXT.test(text) || text.length > 4096) {
    return {
      type: "int_parsing",
      message: "Input should be a valid integer, unable to parse string as an integer",
    };
  }
  const number = BigInt(text);
  if (number > LARGEST || number < -LARGEST - 1n) {
    return {
      type: "int_parsing_size",
      message: "Unable to parse input string as an integer, exceeded maximum size",
    };
  }
  if (gt !== undefined && number <= BigInt(gt)) {
    return {
      type: "greater_than",
      message: `Input should be greater than ${gt}`,
      ctx: { gt },
    };
  }
  if (ge !== undefined && number < BigInt(ge)) {
    return {
      type: "greater_than_equal",
      message: `Input should be greater than or equal to ${ge}`,
      ctx: { ge },
    };
  }
  return String(number);
}

/** An int64 of a response. */
export const int64Text = z.string().regex(TEXT);
