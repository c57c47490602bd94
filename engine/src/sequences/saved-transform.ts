/** What a fitted transform is saved as: as a family's model, so that a family may hold one. */

export type TransformTensor = Float64Array | Float32Array | Int32Array | Uint32Array;

export interface SavedTransform {
  /** JSON-serialisable. */
  readonly header: unknown;
  readonly tensors: Readonly<Record<string, TransformTensor>>;
}

/** A tensor that must be there, of one kind of array. */
export function tensorOf<T extends TransformTensor>(
  saved: SavedTransform,
  name: string,
  kind: new (length: number) => T,
): T {
  const tensor = saved.tensors[name];
  if (!(tensor instanceof kind)) {
    const found = tensor === undefined ? "is missing" : `is a ${tensor.constructor.name}`;
    throw new Error(`The transform's array "${name}" ${found}, where a ${kind.name} should be.`);
  }
  return tensor;
}

/** @throws Error where a saved transform's arrays or counts contradict each other */
export function checkSaved(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`The transform is damaged: ${what}.`);
}

/** Whether these are integers from `least` up to, but not including, `end`. */
export const areWithin = (values: Int32Array, least: number, end: number): boolean =>
  values.every((value) => value >= least && value < end);
