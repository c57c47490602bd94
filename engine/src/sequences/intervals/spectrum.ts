/** Fast Fourier transform, and what is made of it: autocorrelation and power of a series. */

function powerOfTwo(length: number): number {
  let size = 1;
  while (size < length) size *= 2;
  return size;
}

/** Of `half` points, the turns by 0 to half of a circle, from the place `half` on. */
interface Turns {
  readonly cosines: Float64Array;
  readonly sines: Float64Array;
}

/** Those of larger transforms are not kept. */
const MOST_KEPT = 2 ** 17;

let kept: Turns = turns(1);

function turnsFor(size: number): Turns {
  if (size <= kept.cosines.length) return kept;
  const made = turns(size);
  if (size <= MOST_KEPT) kept = made;
  return made;
}

function turns(size: number): Turns {
  const [cosines, sines] = [new Float64Array(size), new Float64Array(size)];
  for (let half = 1; half < size; half *= 2) {
    for (let k = 0; k < half; k++) {
      const angle = (-Math.PI * k) / half;
      cosines[half + k] = Math.cos(angle);
      sines[half + k] = Math.sin(angle);
    }
  }
  return { cosines, sines };
}

/** In place, of a power of two numbers (Cooley & Tukey 1965, radix 2). */
export function fourierTransform(real: Float64Array, imaginary: Float64Array): void {
  const size = real.length;
  for (let i = 1, j = 0; i < size; i++) {
    let bit = size >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      [real[i], real[j]] = [real[j], real[i]];
      [imaginary[i], imaginary[j]] = [imaginary[j], imaginary[i]];
    }
  }
  const { cosines, sines } = turnsFor(size);
  for (let half = 1; half < size; half *= 2) {
    // Neighbours in turn: of long series, memory is what takes the time.
    for (let from = 0; from < size; from += 2 * half) {
      for (let k = 0; k < half; k++) {
        const i = from + k;
        const j = i + half;
        const c = cosines[half + k];
        const s = sines[half + k];
        const re = real[j] * c - imaginary[j] * s;
        const im = real[j] * s + imaginary[j] * c;
        real[j] = real[i] - re;
        imaginary[j] = imaginary[i] - im;
        real[i] += re;
        imaginary[i] += im;
      }
    }
  }
}

/**
 * One-sided power of a centred series, zeros behind it up to a power of two (Welch's estimate with
 * one rectangular window): `powerOfTwo(length) / 2 + 1` frequencies from 0 to one half a step.
 */
export function powerSpectrum(centred: Float64Array): Float64Array {
  const size = Math.max(2, powerOfTwo(centred.length));
  const real = new Float64Array(size);
  const imaginary = new Float64Array(size);
  real.set(centred);
  fourierTransform(real, imaginary);
  return Float64Array.from({ length: size / 2 + 1 }, (_, i) => {
    const power = (real[i] ** 2 + imaginary[i] ** 2) / centred.length;
    return i > 0 && i < size / 2 ? 2 * power : power;
  });
}

/** At every lag, of a centred series; all 0 where it does not vary. */
export function autocorrelation(centred: Float64Array): Float64Array {
  const size = 2 * powerOfTwo(centred.length);
  const real = new Float64Array(size);
  const imaginary = new Float64Array(size);
  real.set(centred);
  fourierTransform(real, imaginary);
  for (let i = 0; i < size; i++) real[i] = real[i] ** 2 + imaginary[i] ** 2;
  imaginary.fill(0);
  // The spectrum is real and even: the transform is its own inverse, but for the scale.
  fourierTransform(real, imaginary);
  const whole = real[0];
  return real.slice(0, centred.length).map((value) => (whole > 0 ? value / whole : 0));
}

/** What Bluestein's transform of a length multiplies with. */
interface Chirp {
  readonly length: number;
  readonly cosines: Float64Array;
  readonly sines: Float64Array;
  /** Transformed. */
  readonly real: Float64Array;
  readonly imaginary: Float64Array;
}

/** Of the last length: sequences have mostly one. */
let chirp: Chirp | null = null;

function chirpOf(length: number): Chirp {
  if (chirp?.length === length) return chirp;
  const size = powerOfTwo(2 * length);
  const [real, imaginary] = [new Float64Array(size), new Float64Array(size)];
  const cosines = new Float64Array(length);
  const sines = new Float64Array(length);
  for (let t = 0; t < length; t++) {
    // The angle is of t² half turns a length: whole turns are left out while it is an integer.
    const angle = (Math.PI * ((t * t) % (2 * length))) / length;
    cosines[t] = Math.cos(angle);
    sines[t] = Math.sin(angle);
    real[t] = cosines[t];
    imaginary[t] = sines[t];
    real[(size - t) % size] = cosines[t];
    imaginary[(size - t) % size] = sines[t];
  }
  fourierTransform(real, imaginary);
  const made = { length, cosines, sines, real, imaginary };
  if (size <= MOST_KEPT) chirp = made;
  return made;
}

/**
 * Sizes of the Fourier coefficients of a series of any length, ⌊length / 2⌋ + 1 of them (Bluestein 1970, "A
 * linear filtering approach to the computation of discrete Fourier transform").
 */
export function amplitudes(values: Float64Array): Float64Array {
  const { length } = values;
  const by = chirpOf(length);
  const size = by.real.length;
  const [real, imaginary] = [new Float64Array(size), new Float64Array(size)];
  for (let t = 0; t < length; t++) {
    real[t] = values[t] * by.cosines[t];
    imaginary[t] = -values[t] * by.sines[t];
  }
  fourierTransform(real, imaginary);
  for (let i = 0; i < size; i++) {
    const product = real[i] * by.real[i] - imaginary[i] * by.imaginary[i];
    // Conjugated, so that the transform to come is the inverse.
    imaginary[i] = -(real[i] * by.imaginary[i] + imaginary[i] * by.real[i]);
    real[i] = product;
  }
  fourierTransform(real, imaginary);
  // A factor of size 1 is left out: sizes alone are asked.
  return Float64Array.from(
    { length: Math.floor(length / 2) + 1 },
    (_, k) => Math.hypot(real[k], imaginary[k]) / size,
  );
}
