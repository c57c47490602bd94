/** Random tables of apache-arrow, of all types that it can build. */

import {
  Binary,
  Bool,
  type Data,
  DataType,
  DateDay,
  DateMillisecond,
  Decimal,
  DenseUnion,
  Dictionary,
  DurationNanosecond,
  Field,
  FixedSizeBinary,
  FixedSizeList,
  Float16,
  Float32,
  Float64,
  Int8,
  Int16,
  Int32,
  Int64,
  IntervalDayTime,
  IntervalYearMonth,
  LargeUtf8,
  List,
  makeBuilder,
  makeData,
  Null,
  SparseUnion,
  Struct,
  Table,
  TimeMillisecond,
  TimestampMicrosecond,
  TimestampSecond,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
  Utf8,
  Vector,
} from "apache-arrow";
import fc from "fast-check";

interface Kind {
  readonly type: DataType;
  readonly value: fc.Arbitrary<unknown>;
}

const integer = (bits: number) => fc.integer({ min: 0, max: 2 ** (bits - 1) - 1 });
const big = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
const text = fc.oneof(fc.string({ unit: "grapheme", maxLength: 20 }), fc.constantFrom("a", "b"));
const bytes = fc.uint8Array({ maxLength: 20 });
const milliseconds = fc.integer({ min: -(2 ** 40), max: 2 ** 40 });

const PLAIN: readonly (() => Kind)[] = [
  () => ({ type: new Int8(), value: integer(8) }),
  () => ({ type: new Int16(), value: integer(16) }),
  () => ({ type: new Int32(), value: integer(32) }),
  () => ({ type: new Int64(), value: big }),
  () => ({ type: new Uint8(), value: integer(9) }),
  () => ({ type: new Uint16(), value: integer(17) }),
  () => ({ type: new Uint32(), value: integer(33) }),
  () => ({ type: new Uint64(), value: big }),
  () => ({ type: new Float16(), value: fc.constantFrom(0.5, -2, 1024) }),
  () => ({ type: new Float32(), value: fc.float() }),
  () => ({ type: new Float64(), value: fc.double() }),
  () => ({ type: new Bool(), value: fc.boolean() }),
  () => ({ type: new Utf8(), value: text }),
  () => ({ type: new LargeUtf8(), value: text }),
  () => ({ type: new Binary(), value: bytes }),
  () => ({ type: new FixedSizeBinary(3), value: fc.uint8Array({ minLength: 3, maxLength: 3 }) }),
  () => ({ type: new Decimal(2, 20, 128), value: fc.uint32Array({ minLength: 4, maxLength: 4 }) }),
  () => ({ type: new DateDay(), value: milliseconds }),
  () => ({ type: new DateMillisecond(), value: milliseconds }),
  () => ({ type: new TimestampSecond(), value: milliseconds.map((time) => time * 1000) }),
  () => ({ type: new TimestampMicrosecond("UTC"), value: milliseconds }),
  () => ({ type: new TimeMillisecond(), value: integer(27) }),
  () => ({ type: new DurationNanosecond(), value: big }),
  () => ({ type: new IntervalYearMonth(), value: fc.int32Array({ minLength: 1, maxLength: 1 }) }),
  () => ({ type: new IntervalDayTime(), value: fc.int32Array({ minLength: 2, maxLength: 2 }) }),
  () => ({ type: new Null(), value: fc.constant(null) }),
];

function arbitraryKind(depth: number): fc.Arbitrary<Kind> {
  const plain = fc.constantFrom(...PLAIN).map((make) => make());
  if (depth === 0) return plain;
  const inner = arbitraryKind(depth - 1);
  const nested = fc.oneof(
    inner.map(({ type, value }) => ({
      type: new List(new Field("item", type, true)),
      value: fc.array(fc.option(value), { maxLength: 4 }),
    })),
    inner.map(({ type, value }) => ({
      type: new FixedSizeList(2, new Field("item", type, true)),
      value: fc.array(fc.option(value), { minLength: 2, maxLength: 2 }),
    })),
    fc.tuple(inner, inner).map(([a, b]) => ({
      type: new Struct([new Field("a", a.type, true), new Field("b", b.type, true)]),
      value: fc.record({ a: fc.option(a.value), b: fc.option(b.value) }),
    })),
  );
  return fc.oneof({ weight: 2, arbitrary: plain }, { weight: 1, arbitrary: nested });
}

function dataOf(type: DataType, values: readonly unknown[]): Data {
  if (DataType.isNull(type)) return makeData({ type, length: values.length });
  const builder = makeBuilder({ type, nullValues: [null, undefined] });
  for (const value of values) builder.append(value);
  return builder.finish().flush();
}

/** A column of `lengths[i]` rows in batch `i`. */
function plainColumn(lengths: readonly number[]): fc.Arbitrary<Vector> {
  return arbitraryKind(2).chain(({ type, value }) =>
    fc
      .tuple(
        ...lengths.map((length) =>
          fc.array(fc.option(value), { minLength: length, maxLength: length }),
        ),
      )
      .map((batches) => new Vector(batches.map((values) => dataOf(type, values)))),
  );
}

function dictionaryColumn(lengths: readonly number[]): fc.Arbitrary<Vector> {
  const kinds: readonly (() => Kind)[] = [
    () => ({ type: new Utf8(), value: text }),
    () => ({ type: new Float64(), value: fc.double({ noNaN: true }) }),
  ];
  return fc
    .constantFrom(...kinds)
    .map((make) => make())
    .chain(({ type: values, value }) =>
      fc.tuple(
        fc.constant(values),
        fc.array(value, { minLength: 1, maxLength: 5 }),
        fc.tuple(
          ...lengths.map((length) =>
            fc.array(fc.option(fc.nat()), { minLength: length, maxLength: length }),
          ),
        ),
      ),
    )
    .map(([values, entries, batches]) => {
      const type = new Dictionary<DataType, Int8>(values, new Int8());
      const dictionary = new Vector([dataOf(values, entries)]);
      return new Vector(
        batches.map((rows) => {
          const indices = rows.map((row) => (row === null ? null : row % entries.length));
          const { values: data, nullBitmap, nullCount } = dataOf(new Int8(), indices);
          return makeData({ type, length: rows.length, nullCount, nullBitmap, data, dictionary });
        }),
      );
    });
}

function unionColumn(lengths: readonly number[]): fc.Arbitrary<Vector> {
  return fc
    .tuple(
      fc.boolean(),
      ...lengths.map((length) =>
        fc.array(fc.nat({ max: 1 }), { minLength: length, maxLength: length }),
      ),
    )
    .map(([isDense, ...batches]) => {
      const fields = [new Field("n", new Int32(), true), new Field("t", new Utf8(), true)];
      return new Vector<DataType>(
        batches.map((members) => {
          const typeIds = Int8Array.from(members, (member) => (member === 0 ? 5 : 7));
          const numbers = dataOf(
            new Int32(),
            members.map((_, row) => row),
          );
          const texts = dataOf(
            new Utf8(),
            members.map((_, row) => `text ${row}`),
          );
          const shared = { length: members.length, typeIds, children: [numbers, texts] };
          return isDense
            ? makeData({
                ...shared,
                type: new DenseUnion([5, 7], fields),
                valueOffsets: Int32Array.from(members, (_, row) => members.length - 1 - row),
              })
            : makeData({ ...shared, type: new SparseUnion([5, 7], fields) });
        }),
      );
    });
}

/** Of one to three batches. */
export function arbitraryTable(): fc.Arbitrary<Table> {
  return fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 3 }).chain((lengths) =>
    fc
      .tuple(
        fc.array(plainColumn(lengths), { minLength: 1, maxLength: 4 }),
        dictionaryColumn(lengths),
        unionColumn(lengths),
      )
      .map(
        ([plain, dictionary, union]) =>
          new Table({
            ...Object.fromEntries(plain.map((vector, i) => [`c${i}`, vector])),
            dictionary,
            union,
          }),
      ),
  );
}
