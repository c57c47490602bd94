/** The roles that a task gives to columns, and those that no column can have together. */

import { shown } from "../data/shown.ts";

/** In the order in which they are believed: of two that clash, the later one is at fault. */
const ROLES = [
  { member: "labelColumn", has: "is the label", cannot: "be the label" },
  { member: "sequenceColumn", has: "tells sequences apart", cannot: "tell sequences apart" },
  { member: "timeColumn", has: "orders the rows in time", cannot: "order the rows in time" },
  { member: "orderColumn", has: "orders steps", cannot: "order steps" },
  { member: "seriesColumns", has: "tells series apart", cannot: "tell series apart" },
  { member: "groupColumn", has: "groups the rows", cannot: "group the rows" },
  { member: "knownColumns", has: "is known in advance", cannot: "be known in advance" },
  { member: "weightColumn", has: "weighs the rows", cannot: "weigh the rows" },
  { member: "ignoreColumns", has: "is ignored", cannot: "be ignored" },
] as const;

type Member = (typeof ROLES)[number]["member"];

/** The members of a task that name columns, as the configuration has them; some name several. */
export const COLUMN_ROLES: readonly Member[] = ROLES.map(({ member }) => member);

/** Beside the label, which has no other role. */
const EXCLUSIVE: readonly (readonly [Member, Member])[] = [
  ["sequenceColumn", "orderColumn"],
  ["sequenceColumn", "weightColumn"],
  ["timeColumn", "orderColumn"],
  ["timeColumn", "seriesColumns"],
  ["timeColumn", "knownColumns"],
  ["timeColumn", "weightColumn"],
  ["orderColumn", "weightColumn"],
  ["seriesColumns", "weightColumn"],
  ["groupColumn", "weightColumn"],
  ["knownColumns", "weightColumn"],
  ["knownColumns", "ignoreColumns"],
];

/** A column, and the member of the task that names it. */
export interface ColumnRole {
  readonly member: Member;
  readonly column: string;
}

/** What of a task names columns, by the names of the configuration. */
export type NamedColumns = Readonly<
  Partial<Record<Member, string | readonly string[] | null | undefined>>
>;

/** Each column with its role; `path` is where the task names it. */
export function columnRoles(
  task: NamedColumns,
): (ColumnRole & { readonly path: readonly (string | number)[] })[] {
  return COLUMN_ROLES.flatMap((member) => {
    const named = task[member];
    if (named == null) return [];
    if (typeof named === "string") return [{ member, column: named, path: [member] }];
    return named.map((column, index) => ({ member, column, path: [member, index] }));
  });
}

/** What a task has a column for, such as `is ignored`; null: for nothing that it names. */
export function roleTold(task: NamedColumns, column: string): string | null {
  const member = columnRoles(task).find((role) => role.column === column)?.member;
  return ROLES.find((role) => role.member === member)?.has ?? null;
}

/** The first column that has two roles which exclude each other; null = none. */
export function clashOfRoles<Role extends ColumnRole>(
  roles: readonly Role[],
): { readonly role: Role; readonly message: string } | null {
  for (const [at, role] of roles.entries()) {
    for (const other of roles.slice(0, at)) {
      if (other.column !== role.column || !excludes(other.member, role.member)) continue;
      const [believed, fault] = inOrder(other, role);
      return { role: fault, message: messageOf(believed, fault) };
    }
  }
  return null;
}

function excludes(one: Member, other: Member): boolean {
  if (one === other) return false;
  if (one === "labelColumn" || other === "labelColumn") return true;
  return EXCLUSIVE.some((pair) => pair.includes(one) && pair.includes(other));
}

function inOrder<Role extends ColumnRole>(one: Role, other: Role): [Role, Role] {
  const isFirst = COLUMN_ROLES.indexOf(one.member) < COLUMN_ROLES.indexOf(other.member);
  return isFirst ? [one, other] : [other, one];
}

function messageOf(believed: ColumnRole, fault: ColumnRole): string {
  const { has = "" } = ROLES.find(({ member }) => member === believed.member) ?? {};
  const { cannot = "" } = ROLES.find(({ member }) => member === fault.member) ?? {};
  return `${shown(believed.column)} ${has}, so it cannot ${cannot} as well; name another column, or leave it out here`;
}
