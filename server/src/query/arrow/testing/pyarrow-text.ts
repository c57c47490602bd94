/** A schema as pyarrow prints it, to compare with fixtures that pyarrow wrote. */

import * as arrow from "apache-arrow";

/** A schema as pyarrow's `Schema.to_string` prints it. */
export function pyarrowText(schema: arrow.Schema): string {
  const lines = schema.fields.flatMap((child) => pyarrowField(child, "", ""));
  if (schema.metadata.size > 0) {
    lines.push("-- schema metadata --");
    for (const [key, value] of schema.metadata) lines.push(`${key}: '${value}'`);
  }
  return lines.join("\n");
}

function pyarrowField(child: arrow.Field, label: string, indent: string): string[] {
  const lines = [
    `${indent}${label}${child.name}: ${pyarrowType(child.type)}${child.nullable ? "" : " not null"}`,
  ];
  const inner = label === "" ? "  " : `${indent}    `;
  if (!arrow.DataType.isDictionary(child.type))
    (child.type.children ?? []).forEach((grandchild: arrow.Field, i: number) => {
      lines.push(...pyarrowField(grandchild, `child ${i}, `, inner));
    });
  if (child.metadata.size > 0) {
    lines.push("  -- field metadata --");
    for (const [key, value] of child.metadata) lines.push(`  ${key}: '${value}'`);
  }
  return lines;
}

const UNITS = ["s", "ms", "us", "ns"];
function pyarrowType(type: arrow.DataType): string {
  const members = () =>
    type.children.map((c) => `${c.name}: ${pyarrowType(c.type)}${c.nullable ? "" : " not null"}`);
  if (arrow.DataType.isDictionary(type))
    return `dictionary<values=${pyarrowType(type.dictionary)}, indices=${pyarrowType(type.indices)}, ordered=${type.isOrdered ? 1 : 0}>`;
  if (arrow.DataType.isInt(type)) return `${type.isSigned ? "" : "u"}int${type.bitWidth}`;
  if (arrow.DataType.isFloat(type)) return ["halffloat", "float", "double"][type.precision]!;
  if (arrow.DataType.isDecimal(type))
    return `decimal${type.bitWidth}(${type.precision}, ${type.scale})`;
  if (arrow.DataType.isTimestamp(type))
    return `timestamp[${UNITS[type.unit]}${type.timezone ? `, tz=${type.timezone}` : ""}]`;
  if (arrow.DataType.isTime(type)) return `time${type.bitWidth}[${UNITS[type.unit]}]`;
  if (arrow.DataType.isDuration(type)) return `duration[${UNITS[type.unit]}]`;
  if (arrow.DataType.isDate(type)) return type.unit === 0 ? "date32[day]" : "date64[ms]";
  if (arrow.DataType.isFixedSizeBinary(type)) return `fixed_size_binary[${type.byteWidth}]`;
  if (arrow.DataType.isList(type)) return `list<${members()[0]}>`;
  if (arrow.DataType.isLargeList(type)) return `large_list<${members()[0]}>`;
  if (arrow.DataType.isFixedSizeList(type))
    return `fixed_size_list<${members()[0]}>[${type.listSize}]`;
  if (arrow.DataType.isStruct(type)) return `struct<${members().join(", ")}>`;
  if (arrow.DataType.isMap(type))
    return `map<${pyarrowType(type.keyType)}, ${pyarrowType(type.valueType)}>`;
  if (arrow.DataType.isUnion(type))
    return `${type.mode === arrow.UnionMode.Dense ? "dense" : "sparse"}_union<${members()
      .map((m, i) => `${m}=${type.typeIds[i]}`)
      .join(", ")}>`;
  const names: Partial<Record<arrow.Type, string>> = {
    [arrow.Type.Null]: "null",
    [arrow.Type.Bool]: "bool",
    [arrow.Type.Utf8]: "string",
    [arrow.Type.LargeUtf8]: "large_string",
    [arrow.Type.Utf8View]: "string_view",
    [arrow.Type.Binary]: "binary",
    [arrow.Type.LargeBinary]: "large_binary",
    [arrow.Type.BinaryView]: "binary_view",
    [arrow.Type.Interval]: "month_day_nano_interval",
  };
  return names[type.typeId] ?? `? ${type}`;
}
