/** The standard normal distribution: tail-exact cumulative probability and its inverse. */

/** Value of Σ coefficients[i]·xⁱ. */
function polynomial(coefficients: readonly number[], x: number): number {
  let value = 0;
  for (let i = coefficients.length - 1; i >= 0; i--) value = value * x + coefficients[i];
  return value;
}

/*
 * erf by rational minimax approximations on four ranges, with errors below one unit in the last
 * place; the coefficients are those of Sun's fdlibm, s_erf.c.
 */
const SMALL_P = [
  0.12837916709551256, -0.3250421072470015, -0.02848174957559851, -0.005770270296489442,
  -2.3763016656650163e-5,
];
const SMALL_Q = [
  1, 0.39791722395915535, 0.0650222499887673, 0.005081306281875766, 0.00013249473800432164,
  -3.960228278775368e-6,
];
const ERF_ONE = 0.8450629115104675;
const MIDDLE_P = [
  -0.0023621185607526594, 0.41485611868374833, -0.3722078760357013, 0.31834661990116175,
  -0.11089469428239668, 0.035478304325618236, -0.002166375594868791,
];
const MIDDLE_Q = [
  1, 0.10642088040084423, 0.540397917702171, 0.07182865441419627, 0.12617121980876164,
  0.01363708391202905, 0.011984499846799107,
];
const LARGE_P = [
  -0.009864944034847148, -0.6938585727071818, -10.558626225323291, -62.375332450326006,
  -162.39666946257347, -184.60509290671104, -81.2874355063066, -9.814329344169145,
];
const LARGE_Q = [
  1, 19.651271667439257, 137.65775414351904, 434.56587747522923, 645.3872717332679,
  429.00814002756783, 108.63500554177944, 6.570249770319282, -0.0604244152148581,
];
const HUGE_P = [
  -0.0098649429247001, -0.799283237680523, -17.757954917754752, -160.63638485582192,
  -637.5664433683896, -1025.0951316110772, -483.5191916086514,
];
const HUGE_Q = [
  1, 30.33806074348246, 325.7925129965739, 1536.729586084437, 3199.8582195085955,
  2553.0504064331644, 474.52854120695537, -22.44095244658582,
];

/** The complementary error function, with full relative precision until it underflows at 27. */
export function erfc(x: number): number {
  const size = Math.abs(x);
  let tail: number;
  if (size < 0.84375) {
    const square = x * x;
    return 1 - (x + (x * polynomial(SMALL_P, square)) / polynomial(SMALL_Q, square));
  }
  if (size < 1.25) {
    tail = 1 - ERF_ONE - polynomial(MIDDLE_P, size - 1) / polynomial(MIDDLE_Q, size - 1);
  } else {
    const inverse = 1 / (size * size);
    const ratio =
      size < 1 / 0.35
        ? polynomial(LARGE_P, inverse) / polynomial(LARGE_Q, inverse)
        : polynomial(HUGE_P, inverse) / polynomial(HUGE_Q, inverse);
    // x² is split in an exact square and a small rest, since exp magnifies its rounding error.
    const rounded = Math.fround(size);
    tail =
      size > 27.3
        ? 0
        : (Math.exp(-rounded * rounded - 0.5625) *
            Math.exp((rounded - size) * (rounded + size) + ratio)) /
          size;
  }
  return x > 0 ? tail : 2 - tail;
}

/** Probability that a standard normal is below `x`; exact in the left tail. */
export function cumulative(x: number): number {
  return 0.5 * erfc(-x * Math.SQRT1_2);
}

/*
 * The inverse, to about 1e-16: Wichura, "Algorithm AS 241: the percentage points of the normal
 * distribution", Applied Statistics 37 (1988), routine PPND16.
 */
const CENTRE_P = [
  3.3871328727963665, 133.14166789178438, 1971.5909503065513, 13731.69376550946, 45921.95393154987,
  67265.7709270087, 33430.57558358813, 2509.0809287301227,
];
const CENTRE_Q = [
  1, 42.31333070160091, 687.1870074920579, 5394.196021424751, 21213.794301586597, 39307.89580009271,
  28729.085735721943, 5226.495278852854,
];
const NEAR_P = [
  1.4234371107496835, 4.630337846156546, 5.769497221460691, 3.6478483247632045, 1.2704582524523684,
  0.2417807251774506, 0.022723844989269184, 0.0007745450142783414,
];
const NEAR_Q = [
  1, 2.053191626637759, 1.6763848301838038, 0.6897673349851, 0.14810397642748008,
  0.015198666563616457, 0.0005475938084995345, 1.0507500716444169e-9,
];
const FAR_P = [
  6.657904643501103, 5.463784911164114, 1.7848265399172913, 0.29656057182850487,
  0.026532189526576124, 0.0012426609473880784, 2.7115555687434876e-5, 2.0103343992922881e-7,
];
const FAR_Q = [
  1, 0.599832206555888, 0.1369298809227358, 0.014875361290850615, 0.0007868691311456133,
  1.8463183175100548e-5, 1.421511758316446e-7, 2.0442631033899397e-15,
];

/** The x below which a standard normal lies with the given probability, in (0, 1). */
export function inverseCumulative(probability: number): number {
  const centred = probability - 0.5;
  if (Math.abs(centred) <= 0.425) {
    const r = 0.180625 - centred * centred;
    return (centred * polynomial(CENTRE_P, r)) / polynomial(CENTRE_Q, r);
  }
  const r = Math.sqrt(-Math.log(centred < 0 ? probability : 1 - probability));
  const x =
    r <= 5
      ? polynomial(NEAR_P, r - 1.6) / polynomial(NEAR_Q, r - 1.6)
      : polynomial(FAR_P, r - 5) / polynomial(FAR_Q, r - 5);
  return centred < 0 ? -x : x;
}
