/** Times as texts that say their distance from UTC. */

import { type DataType, Field, Timestamp, TimeUnit } from "apache-arrow";
import { duckdbTypeOf } from "../../arrow/duckdb-type.ts";
import { isUnzonedTime } from "../lossless-cast.ts";
import { placesOf, withInner } from "./numbers-within.ts";

const OFFSET = ":[0-9]{2}([.][0-9]+)? ?(Z|[+-][0-9]{2}(:?[0-9]{2})?)";

/** A condition. @param text of a time, in the quotes of JSON or without */
export const hasOffset = (text: string): string => `regexp_matches(${text}, '${OFFSET}"?$')`;

/**
 * The cast of a text or JSON value, with the times of a type without a zone that say their distance from
 * UTC as those of UTC: DuckDB casts them so for nanoseconds alone, and drops the distance for other units.
 *
 * @param text of the value
 */
export function inUtc(cast: string, source: string, text: string, field: Field): string {
  if (placesOf(field, isDropping).length === 0) return cast;
  const within = isUnzonedTime(field.type)
    ? hasOffset(text)
    : `regexp_matches(${text}, '${OFFSET}"')`;
  // Sessions have the zone of UTC.
  const instants = `TRY_CAST(${source} AS ${duckdbTypeOf(instant(field))})`;
  return `CASE WHEN ${within} THEN CAST(${instants} AS ${duckdbTypeOf(field)}) ELSE ${cast} END`;
}

const isDropping = (type: DataType): boolean =>
  isUnzonedTime(type) && type.unit !== TimeUnit.NANOSECOND;

const instant = (field: Field): Field =>
  isDropping(field.type)
    ? new Field(field.name, new Timestamp(TimeUnit.MICROSECOND, "UTC"), true)
    : withInner(field, instant);
