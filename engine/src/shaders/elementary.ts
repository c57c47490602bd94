/**
 * e^x and the logarithm as `kernels/assembly/numbers/elementary.ts` has them, operation by operation, so that their bits are
 * the CPU's.
 *
 * Each is a list of steps a + b × c, rounded twice. A GPU's shader has them one after another, with all numbers in
 * registers; that of a software device goes through the list in a loop, since it compiles a second or two longer
 * where sums and products are written out.
 */

import { f64Literal } from "./f64.ts";

/** [what comes of it, a, b, c] */
type Step = readonly [string, string, string, string];

const ROUND = 6755399441055744;
const LN2_HIGH = 0.6931471803691238;
const LN2_LOW = 1.9082149292705877e-10;
const FACTORIALS = [
  ...[1, 1, 0.5, 1 / 6, 1 / 24, 1 / 120, 1 / 720, 1 / 5040, 1 / 40320, 1 / 362880],
  ...[1 / 3628800, 1 / 39916800, 1 / 479001600, 1 / 6227020800],
];

const CONSTANTS: Readonly<Record<string, number>> = {
  ...{ zero: 0, one: 1, minusOne: -1, two: 2, round: ROUND, minusRound: -ROUND },
  ...{ log2E: Math.LOG2E, ln2High: LN2_HIGH, ln2Low: LN2_LOW },
  ...{ minusLn2High: -LN2_HIGH, minusLn2Low: -LN2_LOW },
  ...Object.fromEntries(FACTORIALS.map((term, i) => [`taylor${i}`, term])),
  ...Object.fromEntries([3, 5, 7, 9, 11, 13, 15, 17, 19, 21].map((n) => [`part${n}`, 1 / n])),
};

/** Of x: `whole`, whose low word is k, and the power without its 2^k. */
const EXP_STEPS: readonly Step[] = [
  ["whole", "round", "x", "log2E"],
  ["k", "whole", "one", "minusRound"],
  ["rest", "x", "k", "minusLn2High"],
  ["r", "rest", "k", "minusLn2Low"],
  // Estrin's scheme.
  ...Array.from({ length: 7 }, (_, i): Step => {
    return [`p${i}`, `taylor${2 * i}`, "r", `taylor${2 * i + 1}`];
  }),
  ["r2", "zero", "r", "r"],
  ["r4", "zero", "r2", "r2"],
  ["r8", "zero", "r4", "r4"],
  ["q0", "p0", "r2", "p1"],
  ["q1", "p2", "r2", "p3"],
  ["q2", "p4", "r2", "p5"],
  ["low", "q0", "r4", "q1"],
  ["high", "q2", "r4", "p6"],
  ["power", "low", "r8", "high"],
];

/** Of a mantissa m: what is divided by what. */
const QUOTIENT_STEPS: readonly Step[] = [
  ["above", "m", "one", "minusOne"],
  ["below", "m", "one", "one"],
];

/** Of their quotient s, and of the exponent beside what rounds it. */
const LOG_STEPS: readonly Step[] = [
  ["z", "zero", "s", "s"],
  ["t19", "part19", "part21", "z"],
  ...[17, 15, 13, 11, 9, 7, 5, 3].map((n): Step => [`t${n}`, `part${n}`, `t${n + 2}`, "z"]),
  ["e", "stored", "one", "minusRound"],
  ["twice", "zero", "two", "s"],
  ["cube", "zero", "twice", "z"],
  ["series", "zero", "cube", "t3"],
  ["tail", "series", "e", "ln2Low"],
  ["sum", "tail", "one", "twice"],
  ["logarithm", "sum", "e", "ln2High"],
];

/** Added to |x| < 2⁵¹ it leaves x, rounded to even, in the low bits of the sum. */
export const ROUNDING = f64Literal(ROUND);
export const F64_ONE = f64Literal(1);

/** What a list of steps needs of the shader, and how a function does some of them. */
interface Printed {
  readonly declarations: string;
  /** @param given numbers of the function that the steps read @param wanted those that it reads then */
  run(steps: readonly Step[], given: readonly string[], wanted: readonly string[]): string;
}

function oneByOne(): Printed {
  const printed = (name: string): string => {
    const value = CONSTANTS[name];
    return value === undefined ? `${name}_` : f64Literal(value);
  };
  return {
    declarations: "",
    run: (steps, given, wanted) =>
      [
        ...given.map((name) => `let ${name}_ = ${name};`),
        ...steps.map(
          ([to, a, b, c]) =>
            `let ${to}_ = plus(${printed(a)}, times(${printed(b)}, ${printed(c)}));`,
        ),
        ...wanted.map((name) => `let ${name} = ${name}_;`),
      ].join("\n  "),
  };
}

function inLoop(lists: readonly (readonly Step[])[]): Printed {
  const all = lists.flat();
  const names = [...new Set(all.flat())];
  const cell = (name: string): number => names.indexOf(name);
  const starts = names.map((name) => f64Literal(CONSTANTS[name] ?? 0));
  const rows = all.map((step) => `vec4<u32>(${step.map((name) => `${cell(name)}u`).join(", ")})`);
  return {
    declarations: /* wgsl */ `
var<private> cells: array<vec2<u32>, ${names.length}> = array<vec2<u32>, ${names.length}>(${starts.join(", ")});
const STEPS = array<vec4<u32>, ${rows.length}>(${rows.join(", ")});

fn takeSteps(first: u32, end: u32) {
  for (var i = first; i < end; i++) {
    let step = STEPS[i];
    cells[step.x] = plus(cells[step.y], times(cells[step.z], cells[step.w]));
  }
}
`,
    run(steps, given, wanted) {
      const first = all.indexOf(steps[0]!);
      return [
        ...given.map((name) => `cells[${cell(name)}] = ${name};`),
        `takeSteps(${first}u, ${first + steps.length}u);`,
        ...wanted.map((name) => `let ${name} = cells[${cell(name)}];`),
      ].join("\n  ");
    },
  };
}

const IS_ABOVE = /* wgsl */ `
/** Whether a number is above another; a zero is above one that is less by its sign alone. */
fn isAbove(one: vec2<u32>, other: vec2<u32>) -> bool {
  let isNegative = (one.y >> 31u) == 1u;
  if (isNegative != ((other.y >> 31u) == 1u)) { return !isNegative; }
  let larger = one.y > other.y || (one.y == other.y && one.x > other.x);
  let smaller = one.y < other.y || (one.y == other.y && one.x < other.x);
  return select(larger, smaller, isNegative);
}
`;

/**
 * `exponential` (infinite above 709, as on the CPU), and of positive numbers `logarithm`. Needs `f64.ts`.
 *
 * @param isCompact the steps are a loop
 */
export function elementary(isCompact: boolean, { hasLog = false } = {}): string {
  const lists = hasLog ? [EXP_STEPS, QUOTIENT_STEPS, LOG_STEPS] : [EXP_STEPS];
  const { declarations, run } = isCompact ? inLoop(lists) : oneByOne();
  const exponential = /* wgsl */ `
fn exponential(x: vec2<u32>) -> vec2<u32> {
  if (isAbove(${f64Literal(-708)}, x)) { return vec2<u32>(0u, 0u); }
  if (isAbove(x, ${f64Literal(709)})) { return ${f64Literal(Number.POSITIVE_INFINITY)}; }
  ${run(EXP_STEPS, ["x"], ["whole", "power"])}
  // By 2^k, whose product is a normal number: k is in the low word, as a signed one.
  return vec2<u32>(power.x, power.y + (whole.x << 20u));
}
`;
  const logarithm = (): string => /* wgsl */ `
fn logarithmOf(value: vec2<u32>) -> vec2<u32> {
  if ((value.y & 0x7ff00000u) == 0u) { return ${f64Literal(-745.2)}; }
  var exponent = i32(value.y >> 20u) - 1023;
  var m = vec2<u32>(value.x, (value.y & 0xfffffu) | 0x3ff00000u);
  if (isAbove(m, ${f64Literal(Math.SQRT2)})) {
    m.y -= 0x100000u;
    exponent += 1;
  }
  ${run(QUOTIENT_STEPS, ["m"], ["above", "below"])}
  let s = over(above, below);
  // A small whole number in the low bits of a large one.
  let stored = vec2<u32>(bitcast<u32>(exponent), 0x43380000u - select(0u, 1u, exponent < 0));
  ${run(LOG_STEPS, ["s", "stored"], ["logarithm"])}
  return logarithm;
}
`;
  return declarations + IS_ABOVE + exponential + (hasLog ? logarithm() : "");
}

/** 1 / (1 + e^-x). Needs `exponential`. */
export const LOGISTIC = /* wgsl */ `
fn logistic(x: vec2<u32>) -> vec2<u32> {
  let power = exponential(negated(x));
  // One by infinity is 0.
  if (power.y == 0x7ff00000u) { return vec2<u32>(0u, 0u); }
  return over(${F64_ONE}, plus(${F64_ONE}, power));
}
`;
