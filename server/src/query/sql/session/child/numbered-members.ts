/**
 * Types whose structs have their members by number. The binding gives a struct as an object by its
 * members' names, which loses members without names, as ROW makes them, and one named `__proto__`.
 */

import {
  DuckDBArrayType,
  DuckDBListType,
  DuckDBMapType,
  DuckDBStructType,
  type DuckDBType,
  DuckDBTypeId,
  DuckDBUnionType,
} from "@duckdb/node-api";

/** Null where a type has no structs in it: its values may be read as they are. */
export function numberedMembers(type: DuckDBType): DuckDBType | null {
  switch (type.typeId) {
    case DuckDBTypeId.STRUCT:
      return new DuckDBStructType(
        type.entryNames.map((_, index) => String(index)),
        type.entryTypes.map(numberedOrSame),
      );
    case DuckDBTypeId.LIST: {
      const value = numberedMembers(type.valueType);
      return value === null ? null : new DuckDBListType(value);
    }
    case DuckDBTypeId.ARRAY: {
      const value = numberedMembers(type.valueType);
      return value === null ? null : new DuckDBArrayType(value, type.length);
    }
    case DuckDBTypeId.MAP: {
      const [key, value] = [numberedMembers(type.keyType), numberedMembers(type.valueType)];
      return key === null && value === null
        ? null
        : new DuckDBMapType(key ?? type.keyType, value ?? type.valueType);
    }
    case DuckDBTypeId.UNION: {
      const members = type.memberTypes.map(numberedMembers);
      return members.every((member) => member === null)
        ? null
        : new DuckDBUnionType(type.memberTags, type.memberTypes.map(numberedOrSame));
    }
    default:
      return null;
  }
}

const numberedOrSame = (type: DuckDBType): DuckDBType => numberedMembers(type) ?? type;
