/**
 * Several fits whose trees grow by the same dispatches: data of one kind lie in one buffer, and of each fit of a dispatch
 * (its `workgroup_id.y`) is said where its own begin.
 */

/** Fits of a dispatch at most. */
export const MOST_FITS = 32;

/** Where the data of a fit begin, each counted in its own elements: of bins, counts, state and the like u32. */
const PLACES = [
  ...(["bins", "packed", "rows", "batch", "counts", "heads", "ranges", "slots"] as const),
  ...(["groups", "sums", "features", "state", "records", "pool", "candidates"] as const),
];

/** And what they are: a multiple of four together. */
const FACTS = [
  /** Words of a row's bins. */
  "stride",
  /** A smaller child of fewer rows is none for the device. */
  "least",
  /** What the answer is told from others by. */
  "stamp",
  /** Of a histogram. */
  "entries",
  /** Groups of features in a row, and those of them that have a listed one. */
  "rowGroups",
  "listedGroups",
  "listedFeatures",
  /** Of a tree that begins. */
  "rootRows",
  /** A tree has so many steps at most on this way and those before it. */
  "lastStep",
] as const;

const FIELDS = [...PLACES, ...FACTS] as const;
type FitField = (typeof FIELDS)[number];
/** What is said of a fit. */
export type Fit = Readonly<Record<FitField, number>>;

/** u32 of a fit. */
export const FIT_WORDS = FIELDS.length;

/** As the shaders read them; 0 of what is not told. */
export const fitWords = (fit: Partial<Fit>): number[] => FIELDS.map((field) => fit[field] ?? 0);

/** Binding 0. */
export const FITS = /* wgsl */ `
struct Fit { ${FIELDS.map((field) => `${field}: u32`).join(", ")} }
@group(0) @binding(0) var<uniform> fits: array<Fit, ${MOST_FITS}>;
`;
