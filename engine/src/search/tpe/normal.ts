/** The standard normal distribution: tail-exact cumulative probability and its inverse. */

/*
 * erf by rational minimax approximations on four ranges, with errors below one unit in the last
 * place; the coefficients are those of Sun's fdlibm, s_erf.c. Polynomials are
 * written out in Horner's form: this is the inner loop of a suggestion.
 */
const smallP = (x: number) =>
  (((-2.3763016656650163e-5 * x - 0.005770270296489442) * x - 0.02848174957559851) * x -
    0.3250421072470015) *
    x +
  0.12837916709551256;
const smallQ = (x: number) =>
  ((((-3.960228278775368e-6 * x + 0.00013249473800432164) * x + 0.005081306281875766) * x +
    0.0650222499887673) *
    x +
    0.39791722395915535) *
    x +
  1;
const ERF_ONE = 0.8450629115104675;
const middleP = (x: number) =>
  (((((-0.002166375594868791 * x + 0.035478304325618236) * x - 0.11089469428239668) * x +
    0.31834661990116175) *
    x -
    0.3722078760357013) *
    x +
    0.41485611868374833) *
    x -
  0.0023621185607526594;
const middleQ = (x: number) =>
  (((((0.011984499846799107 * x + 0.01363708391202905) * x + 0.12617121980876164) * x +
    0.07182865441419627) *
    x +
    0.540397917702171) *
    x +
    0.10642088040084423) *
    x +
  1;
const largeP = (x: number) =>
  ((((((-9.814329344169145 * x - 81.2874355063066) * x - 184.60509290671104) * x -
    162.39666946257347) *
    x -
    62.375332450326006) *
    x -
    10.558626225323291) *
    x -
    0.6938585727071818) *
    x -
  0.009864944034847148;
const largeQ = (x: number) =>
  (((((((-0.0604244152148581 * x + 6.570249770319282) * x + 108.63500554177944) * x +
    429.00814002756783) *
    x +
    645.3872717332679) *
    x +
    434.56587747522923) *
    x +
    137.65775414351904) *
    x +
    19.651271667439257) *
    x +
  1;
const hugeP = (x: number) =>
  (((((-483.5191916086514 * x - 1025.0951316110772) * x - 637.5664433683896) * x -
    160.63638485582192) *
    x -
    17.757954917754752) *
    x -
    0.799283237680523) *
    x -
  0.0098649429247001;
const hugeQ = (x: number) =>
  ((((((-22.44095244658582 * x + 474.52854120695537) * x + 2553.0504064331644) * x +
    3199.8582195085955) *
    x +
    1536.729586084437) *
    x +
    325.7925129965739) *
    x +
    30.33806074348246) *
    x +
  1;

/** The complementary error function, with full relative precision until it underflows at 27. */
export function erfc(x: number): number {
  const size = Math.abs(x);
  let tail: number;
  if (size < 0.84375) {
    const square = x * x;
    return 1 - (x + (x * smallP(square)) / smallQ(square));
  }
  if (size < 1.25) {
    tail = 1 - ERF_ONE - middleP(size - 1) / middleQ(size - 1);
  } else {
    const inverse = 1 / (size * size);
    const ratio =
      size < 1 / 0.35 ? largeP(inverse) / largeQ(inverse) : hugeP(inverse) / hugeQ(inverse);
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
const centreP = (x: number) =>
  ((((((2509.0809287301227 * x + 33430.57558358813) * x + 67265.7709270087) * x +
    45921.95393154987) *
    x +
    13731.69376550946) *
    x +
    1971.5909503065513) *
    x +
    133.14166789178438) *
    x +
  3.3871328727963665;
const centreQ = (x: number) =>
  ((((((5226.495278852854 * x + 28729.085735721943) * x + 39307.89580009271) * x +
    21213.794301586597) *
    x +
    5394.196021424751) *
    x +
    687.1870074920579) *
    x +
    42.31333070160091) *
    x +
  1;
const nearP = (x: number) =>
  ((((((0.0007745450142783414 * x + 0.022723844989269184) * x + 0.2417807251774506) * x +
    1.2704582524523684) *
    x +
    3.6478483247632045) *
    x +
    5.769497221460691) *
    x +
    4.630337846156546) *
    x +
  1.4234371107496835;
const nearQ = (x: number) =>
  ((((((1.0507500716444169e-9 * x + 0.0005475938084995345) * x + 0.015198666563616457) * x +
    0.14810397642748008) *
    x +
    0.6897673349851) *
    x +
    1.6763848301838038) *
    x +
    2.053191626637759) *
    x +
  1;
const farP = (x: number) =>
  ((((((2.0103343992922881e-7 * x + 2.7115555687434876e-5) * x + 0.0012426609473880784) * x +
    0.026532189526576124) *
    x +
    0.29656057182850487) *
    x +
    1.7848265399172913) *
    x +
    5.463784911164114) *
    x +
  6.657904643501103;
const farQ = (x: number) =>
  ((((((2.0442631033899397e-15 * x + 1.421511758316446e-7) * x + 1.8463183175100548e-5) * x +
    0.0007868691311456133) *
    x +
    0.014875361290850615) *
    x +
    0.1369298809227358) *
    x +
    0.599832206555888) *
    x +
  1;

/** The x below which a standard normal lies with the given probability, in (0, 1). */
export function inverseCumulative(probability: number): number {
  const centred = probability - 0.5;
  if (Math.abs(centred) <= 0.425) {
    const r = 0.180625 - centred * centred;
    return (centred * centreP(r)) / centreQ(r);
  }
  const r = Math.sqrt(-Math.log(centred < 0 ? probability : 1 - probability));
  const x = r <= 5 ? nearP(r - 1.6) / nearQ(r - 1.6) : farP(r - 5) / farQ(r - 5);
  return centred < 0 ? -x : x;
}
