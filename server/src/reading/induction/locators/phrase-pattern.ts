/**
 * The language of phrases (`locator.ts`) and its matching. A pattern becomes a Thompson automaton
 * over words, which is run in step with the words of a sentence (Pike's method): time is at most
 * words × states, whatever the text, and nothing is ever tried twice.
 *
 * Syntax: words, in any case; `word*` any word that begins so; `#` a number; `(a|b c)` one of these;
 * `[a]` and `[a|b]` optional; `...` any words, 8 at most (`...20`: 20 at most); `{value}` the slot,
 * once, outside brackets.
 */

import { type Prose, wordsOf } from "./sentences.ts";

export type PatternNode =
  | { readonly kind: "word"; readonly word: string }
  | { readonly kind: "prefix"; readonly word: string }
  | { readonly kind: "number" }
  | { readonly kind: "gap"; readonly most: number }
  | {
      readonly kind: "choice";
      readonly options: readonly PatternSequence[];
      readonly optional: boolean;
    };
export type PatternSequence = readonly PatternNode[];

/** A pattern's halves, in the order of reading. Without a slot all is `before` and `after` is null. */
export interface PatternTree {
  readonly before: PatternSequence;
  readonly after: PatternSequence | null;
  /** What the slot's last word may be; null where it may be any. */
  readonly lastWords: ReadonlySet<string> | null;
}

export interface PhrasePattern {
  /** Runs forward; its matches end where the slot begins. Null if the slot stands first. */
  readonly before: Automaton | null;
  /** Runs backward; its matches begin where the slot ends. Null if nothing follows the slot. */
  readonly after: Automaton | null;
  readonly hasSlot: boolean;
  readonly lastWords: ReadonlySet<string> | null;
  /** Of each list, a matching sentence holds at least one word. */
  readonly needs: readonly (readonly string[])[];
}

type Test =
  | { readonly kind: "word" | "prefix"; readonly word: string }
  | { readonly kind: "number" | "any" };

/** Instructions: a test of one word, which goes on to the next one; a fork; the end. */
export type Automaton = readonly (
  | Test
  | { readonly kind: "fork"; readonly to: readonly number[] }
  | { readonly kind: "end" }
)[];

const MOST_STATES = 600;
const DEFAULT_GAP = 8;
const LARGEST_GAP = 60;
const PIECE = /\s+|\{value\}(?:<[^<>{}]*>)?|\.\.\.(\d{0,3})|[()[\]|#]|[^\s()[\]|{}#.]+|./gy;

/** @throws Error that says what is wrong with the pattern */
export function parsePattern(pattern: string): PatternTree {
  const pieces =
    pattern.match(PIECE)?.filter((piece) => piece.trim() !== "" && piece !== ".") ?? [];
  const fail = (why: string): never => {
    throw new Error(`pattern "${pattern}": ${why}`);
  };
  let at = 0;
  let lastWords: ReadonlySet<string> | null = null;
  const halves: PatternNode[][] = [[]];
  const sequence = (into: () => PatternNode[], depth: number): void => {
    for (; at < pieces.length; at++) {
      const piece = pieces[at]!;
      if (piece === "|" || piece === ")" || piece === "]") {
        if (depth === 0) fail(`a ${piece} that nothing opens`);
        return;
      }
      if (piece.startsWith("{value}")) {
        if (depth > 0) fail("{value} stands in brackets");
        if (halves.push([]) > 2) fail("{value} stands twice");
        const ending = [...wordsOf(piece.slice("{value}".length))].map(({ word }) => word);
        if (ending.length > 0) lastWords = new Set(ending);
      } else if (piece === "(" || piece === "[") {
        into().push(choice(piece, depth + 1));
      } else if (piece === "#") {
        into().push({ kind: "number" });
      } else if (piece.startsWith("...")) {
        const most = piece === "..." ? DEFAULT_GAP : Number(piece.slice(3));
        if (most < 1 || most > LARGEST_GAP)
          fail(`a gap of ${most} words, which may have 1 to ${LARGEST_GAP}`);
        into().push({ kind: "gap", most });
      } else if (piece === "{" || piece === "}") {
        fail("the only slot is {value}");
      } else {
        into().push(...literal(piece));
      }
    }
    if (depth > 0) fail("brackets that are not closed");
  };
  const choice = (opening: string, depth: number): PatternNode => {
    if (depth > 20) fail("brackets within brackets, more than 20 deep");
    const options: PatternNode[][] = [];
    do {
      at += 1;
      const option: PatternNode[] = [];
      options.push(option);
      sequence(() => option, depth);
    } while (pieces[at] === "|");
    if (pieces[at] !== (opening === "(" ? ")" : "]")) fail(`a ${opening} closed by ${pieces[at]}`);
    if (options.some((option) => option.length === 0)) fail("brackets with nothing in them");
    return { kind: "choice", options, optional: opening === "[" };
  };
  sequence(() => halves.at(-1)!, 0);
  if (halves.every((half) => half.length === 0) && lastWords === null) fail("no words");
  return { before: halves[0]!, after: halves[1] ?? null, lastWords };
}

/** @throws Error that says what is wrong with the pattern */
export function compilePattern(pattern: string): PhrasePattern {
  const { before, after, lastWords } = parsePattern(pattern);
  const automata = [assemble(before), assemble(reversed(after ?? []))] as const;
  if (automata[0].length + automata[1].length > MOST_STATES) {
    throw new Error(`pattern "${pattern}": too long`);
  }
  return {
    before: before.length === 0 ? null : automata[0],
    after: after === null || after.length === 0 ? null : automata[1],
    hasSlot: after !== null,
    lastWords,
    needs: [
      ...needsOf(before),
      ...needsOf(after ?? []),
      ...(lastWords === null ? [] : [[...lastWords]]),
    ],
  };
}

/**
 * Calls `visit` for each place of `from`…`to` where a match ends, with the nearest place where it
 * begins: both between words, as word numbers. With `step` -1 the words are read backward and
 * `end` is before `begin`.
 */
export function runAutomaton(
  automaton: Automaton,
  words: readonly string[],
  { from, to }: { readonly from: number; readonly to: number },
  step: 1 | -1,
  visit: (begin: number, end: number) => void,
): void {
  let active: number[] = [];
  let begins: number[] = [];
  let nextActive: number[] = [];
  let nextBegins: number[] = [];
  const stack: number[] = [];
  const seen = new Int32Array(automaton.length).fill(-1);
  const enter = (first: number, begin: number, read: number, place: number): void => {
    stack.push(first);
    for (let state = stack.pop(); state !== undefined; state = stack.pop()) {
      if (seen[state] === read) continue;
      seen[state] = read;
      const instruction = automaton[state]!;
      if (instruction.kind === "fork") {
        for (let way = instruction.to.length - 1; way >= 0; way--) {
          stack.push(instruction.to[way]!);
        }
      } else if (instruction.kind === "end") {
        visit(begin, place);
      } else {
        nextActive.push(state);
        nextBegins.push(begin);
      }
    }
  };
  for (let read = 0; read <= to - from; read++) {
    const place = step === 1 ? from + read : to - read;
    const word = read === 0 ? "" : words[step === 1 ? place - 1 : place]!;
    // The newest beginning comes first, so that of several ways into a state it is kept.
    enter(0, place, read, place);
    for (const [thread, state] of active.entries()) {
      if (passes(automaton[state]!, word)) enter(state + 1, begins[thread]!, read, place);
    }
    [active, nextActive] = [nextActive, []];
    [begins, nextBegins] = [nextBegins, []];
  }
}

/** The sentences that can match, ascending: those with a word of the pattern's rarest need. */
export function sentencesFor(
  { needs }: PhrasePattern,
  { index, sentences }: Prose,
): readonly number[] {
  let rarest: readonly (readonly number[])[] | null = null;
  let fewest = Infinity;
  for (const words of needs) {
    const places = words.map((word) => index.get(word) ?? []);
    const count = places.reduce((sum, { length }) => sum + length, 0);
    if (count < fewest) [rarest, fewest] = [places, count];
  }
  if (rarest === null) return sentences.map((_, number) => number);
  return rarest.length === 1 ? rarest[0]! : [...new Set(rarest.flat())].sort((a, b) => a - b);
}

function literal(piece: string): PatternNode[] {
  const words = [...wordsOf(piece)].map(({ word }) => word);
  const nodes = words.map((word): PatternNode => ({ kind: "word", word }));
  const last = words.at(-1);
  if (piece.endsWith("*") && last !== undefined)
    nodes[nodes.length - 1] = { kind: "prefix", word: last };
  return nodes;
}

function reversed(sequence: PatternSequence): PatternSequence {
  return sequence
    .map((node) =>
      node.kind === "choice" ? { ...node, options: node.options.map(reversed) } : node,
    )
    .reverse();
}

function assemble(sequence: PatternSequence): Automaton {
  const program: (Test | { kind: "fork"; to: number[] } | { kind: "end" })[] = [];
  const emit = (nodes: PatternSequence): void => {
    for (const node of nodes) {
      if (program.length > MOST_STATES) return;
      if (node.kind === "gap") {
        const forks: { kind: "fork"; to: number[] }[] = [];
        for (let skipped = 0; skipped < node.most; skipped++) {
          const fork = { kind: "fork" as const, to: [program.length + 1] };
          forks.push(fork);
          program.push(fork, { kind: "any" });
        }
        for (const fork of forks) fork.to.push(program.length);
      } else if (node.kind === "choice") {
        const fork: { kind: "fork"; to: number[] } = { kind: "fork", to: [] };
        program.push(fork);
        const exits = node.options.map((option) => {
          fork.to.push(program.length);
          emit(option);
          const exit: { kind: "fork"; to: number[] } = { kind: "fork", to: [] };
          program.push(exit);
          return exit;
        });
        for (const exit of exits) exit.to.push(program.length);
        if (node.optional) fork.to.push(program.length);
      } else {
        program.push(node);
      }
    }
  };
  emit(sequence);
  program.push({ kind: "end" });
  return program;
}

function passes(test: Automaton[number], word: string): boolean {
  switch (test.kind) {
    case "word":
      return test.word === word;
    case "prefix":
      return word.startsWith(test.word);
    case "number":
      return /^\d/.test(word);
    case "any":
      return true;
    case "fork":
    case "end":
      return false;
  }
}

function needsOf(sequence: PatternSequence): string[][] {
  const needs: string[][] = [];
  for (const node of sequence) {
    if (node.kind === "word") needs.push([node.word]);
    if (node.kind !== "choice" || node.optional) continue;
    const each = node.options.map((option) => needsOf(option)[0]);
    if (each.every((words) => words !== undefined)) needs.push(each.flat());
  }
  return needs;
}
