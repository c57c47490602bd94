/** Random Arrow schemas, and a text of a schema in which everything that counts can be seen. */

import * as arrow from "apache-arrow";
import fc from "fast-check";

const zone = fc.option(fc.constantFrom("UTC", "Europe/Paris", "+05:30"));
const name = fc.oneof(
  fc.constantFrom("a", "b", "größe", "", "🦆 duck", 'with "quotes"'),
  fc.string({ maxLength: 12 }),
);
const metadata = fc
  .array(fc.tuple(fc.string({ maxLength: 6 }), fc.string({ maxLength: 9 })), { maxLength: 2 })
  .map((pairs) => new Map(pairs));

const fixedLeaves = fc.constantFrom<() => arrow.DataType>(
  () => new arrow.Null(),
  () => new arrow.Bool(),
  () => new arrow.Int8(),
  () => new arrow.Int16(),
  () => new arrow.Int32(),
  () => new arrow.Int64(),
  () => new arrow.Uint8(),
  () => new arrow.Uint16(),
  () => new arrow.Uint32(),
  () => new arrow.Uint64(),
  () => new arrow.Float16(),
  () => new arrow.Float32(),
  () => new arrow.Float64(),
  () => new arrow.Utf8(),
  () => new arrow.LargeUtf8(),
  () => new arrow.Utf8View(),
  () => new arrow.Binary(),
  () => new arrow.LargeBinary(),
  () => new arrow.BinaryView(),
  () => new arrow.DateDay(),
  () => new arrow.DateMillisecond(),
  () => new arrow.TimeSecond(),
  () => new arrow.TimeMillisecond(),
  () => new arrow.TimeMicrosecond(),
  () => new arrow.TimeNanosecond(),
  () => new arrow.DurationSecond(),
  () => new arrow.DurationMillisecond(),
  () => new arrow.DurationMicrosecond(),
  () => new arrow.DurationNanosecond(),
  () => new arrow.IntervalYearMonth(),
  () => new arrow.IntervalDayTime(),
  () => new arrow.IntervalMonthDayNano(),
);

const decimal = fc
  .constantFrom([32, 9] as const, [64, 18] as const, [128, 38] as const, [256, 76] as const)
  .chain(([bits, digits]) =>
    fc
      .tuple(fc.integer({ min: 1, max: digits }), fc.integer({ min: -digits, max: digits }))
      .map(([precision, scale]) => new arrow.Decimal(scale, precision, bits)),
  );

const leaf: fc.Arbitrary<arrow.DataType> = fc.oneof(
  { weight: 4, arbitrary: fixedLeaves.map((make) => make()) },
  decimal,
  fc.integer({ min: 0, max: 40 }).map((width) => new arrow.FixedSizeBinary(width)),
  fc.tuple(fc.constantFrom(0, 1, 2, 3), zone).map(([unit, tz]) => {
    if (unit === 0) return new arrow.TimestampSecond(tz);
    if (unit === 1) return new arrow.TimestampMillisecond(tz);
    return unit === 2 ? new arrow.TimestampMicrosecond(tz) : new arrow.TimestampNanosecond(tz);
  }),
);

function fieldOf(type: fc.Arbitrary<arrow.DataType>): fc.Arbitrary<arrow.Field> {
  return fc
    .tuple(name, type, fc.boolean(), metadata)
    .map(([n, t, nullable, m]) => new arrow.Field(n, t, nullable, m));
}

function typeOf(depth: number): fc.Arbitrary<arrow.DataType> {
  if (depth === 0) return leaf;
  const child = fieldOf(typeOf(depth - 1));
  return fc.oneof(
    { weight: 5, arbitrary: leaf },
    child.map((c) => new arrow.List(c)),
    child.map((c) => new arrow.LargeList(c)),
    fc.tuple(fc.nat({ max: 9 }), child).map(([size, c]) => new arrow.FixedSizeList(size, c)),
    fc.array(child, { maxLength: 3 }).map((children) => new arrow.Struct(children)),
    fc
      .tuple(child, child, fc.boolean())
      .map(
        ([key, value, sorted]) =>
          new arrow.Map_(
            new arrow.Field(
              "entries",
              new arrow.Struct<{ key: arrow.DataType; value: arrow.DataType }>([
                new arrow.Field("key", key.type, key.nullable, key.metadata),
                new arrow.Field("value", value.type, value.nullable, value.metadata),
              ]),
              false,
            ),
            sorted,
          ),
      ),
    fc.tuple(fc.array(child, { maxLength: 3 }), fc.boolean()).map(([children, dense]) => {
      const ids = children.map((_, i) => 3 * i + 1);
      return dense ? new arrow.DenseUnion(ids, children) : new arrow.SparseUnion(ids, children);
    }),
    fc
      .tuple(
        typeOf(depth - 1),
        fc.constantFrom(new arrow.Int8(), new arrow.Uint16(), new arrow.Int32()),
        fc.boolean(),
      )
      .filter(([values]) => !arrow.DataType.isDictionary(values))
      .map(([values, index, ordered]) => new arrow.Dictionary(values, index, null, ordered)),
  );
}

export function arbitrarySchema(depth = 2): fc.Arbitrary<arrow.Schema> {
  return fc
    .tuple(fc.array(fieldOf(typeOf(depth)), { maxLength: 6 }), metadata)
    .map(([fields, m]) => new arrow.Schema(fields, m));
}

/** Equal for two schemas exactly where they mean the same. */
export function schemaText(schema: arrow.Schema): string {
  return JSON.stringify(
    { fields: schema.fields.map(fieldView), metadata: [...schema.metadata] },
    null,
    1,
  );
}

function fieldView(field: arrow.Field): object {
  return {
    name: field.name,
    nullable: field.nullable,
    metadata: [...field.metadata],
    type: typeView(field.type),
  };
}

function typeView(type: arrow.DataType): object {
  if (arrow.DataType.isDictionary(type))
    return {
      id: type.id,
      ordered: type.isOrdered,
      indices: typeView(type.indices),
      values: typeView(type.dictionary),
    };
  const parameters = Object.entries(type).filter(
    ([key]) => key !== "children" && key !== "typeIdToChildIndex",
  );
  return {
    ...Object.fromEntries(
      parameters.map(([key, value]) => [
        key,
        value instanceof Int32Array ? [...value] : (value ?? null),
      ]),
    ),
    typeId: type.typeId,
    children: (type.children ?? []).map(fieldView),
  };
}
