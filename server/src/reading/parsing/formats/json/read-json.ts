/** JSON whose numbers keep their digits, of bounded depth and size; also one value a line (ndjson). */

import { DocumentFault } from "../../document-fault.ts";
import { type ParsingLimits, requireNodesWithin } from "../../limits.ts";

/** A number as it is written. */
export class Numeral {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

export type Json = null | boolean | string | Numeral | Json[] | { [name: string]: Json };

/** Undefined for what is no JSON. @throws DocumentFault `too_deep`, `too_large` */
export function readJson(text: string, limits: ParsingLimits): Json | undefined {
  requireWithin(text, limits);
  const whole = parsed(text);
  if (whole !== undefined) return whole;
  const values: Json[] = [];
  for (const line of text.split(/\r?\n/u)) {
    if (line.trim() === "") continue;
    const value = parsed(line);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values.length === 0 ? undefined : values;
}

function parsed(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(text.replace(/^\ufeff/u, ""), keepNumerals);
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const keepNumerals = (
  _name: string,
  value: unknown,
  context?: { readonly source?: string },
): unknown => (typeof value === "number" ? new Numeral(context?.source ?? String(value)) : value);

/** Brackets and commas outside strings, counted before anything is made of them. */
function requireWithin(text: string, limits: ParsingLimits): void {
  let depth = 0;
  let values = 0;
  let isText = false;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22:
        isText = !isText;
        break;
      case 0x5c:
        if (isText) at += 1;
        break;
      case 0x5b:
      case 0x7b:
        if (!isText) depth += 1;
        if (depth > limits.depth) {
          throw new DocumentFault(
            "too_deep",
            `Values are nested more than ${limits.depth} deep. Send the document in a simpler form.`,
          );
        }
        break;
      case 0x5d:
      case 0x7d:
        if (!isText) depth -= 1;
        break;
      case 0x2c:
        if (!isText) values += 1;
        break;
      default:
    }
  }
  requireNodesWithin(values, "values", limits);
}
