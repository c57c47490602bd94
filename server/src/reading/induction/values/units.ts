/** Units of measure by their symbols and words. */

import { inAnyCase } from "./any-case.ts";

/** Symbol: what is written for it; symbols count with their case, words in any. */
const SYMBOLS =
  "kg g mg µg mcg lb oz km m cm mm µm nm ft yd mi ha ac m² m³ m2 m3 cm² cm³ mm² km² ft² sqft l L ml mL dl dL cl µL gal kWh MWh GWh Wh kW MW GW W V mA kV Hz kHz MHz GHz °C °F K Pa hPa kPa MPa bar mbar psi mmHg inHg N kN Nm J kJ MJ kcal VA kVA Ah mAh Ω lm lx mg/dL mg/dl g/dL g/dl ng/mL ng/ml mmol/L mmol/l µmol/L µmol/l umol/L umol/l mEq/L mEq/l U/L IU/L IU pg/mL µS/cm mS/cm µg/L µg/l mg/L mg/l g/L g/l mg/kg µg/m³ mg/m³ NTU FNU ppm ppb dB(A) mL/min ml/min km/h mph m/s g/km L/100km l/100km kg/m² g/cm³ rpm bpm dB KB kB MB GB TB kbps Mbps Gbps px dpi cc bbl mcf MMBtu BTU".split(
    " ",
  );

const WORDS: Readonly<Record<string, string>> = {
  kilograms: "kg",
  kilogram: "kg",
  kilos: "kg",
  kilo: "kg",
  kgs: "kg",
  grams: "g",
  gram: "g",
  gramm: "g",
  milligrams: "mg",
  milligram: "mg",
  micrograms: "µg",
  tons: "t",
  tonnes: "t",
  tonne: "t",
  tonnen: "t",
  pounds: "lb",
  lbs: "lb",
  ounces: "oz",
  ounce: "oz",
  kilometers: "km",
  kilometres: "km",
  kilometer: "km",
  meters: "m",
  metres: "m",
  meter: "m",
  centimeters: "cm",
  centimeter: "cm",
  millimeters: "mm",
  millimeter: "mm",
  feet: "ft",
  foot: "ft",
  inches: "in",
  inch: "in",
  yards: "yd",
  miles: "mi",
  mile: "mi",
  acres: "ac",
  acre: "ac",
  hectares: "ha",
  hectare: "ha",
  "square feet": "ft²",
  "square foot": "ft²",
  "sq ft": "ft²",
  "sq. ft.": "ft²",
  "square meters": "m²",
  "square metres": "m²",
  sqm: "m²",
  "cubic meters": "m³",
  "cubic feet": "ft³",
  kg: "kg",
  km: "km",
  cm: "cm",
  kwh: "kWh",
  liters: "L",
  litres: "L",
  liter: "L",
  litre: "L",
  milliliters: "mL",
  millilitres: "mL",
  gallons: "gal",
  gallon: "gal",
  barrels: "bbl",
  barrel: "bbl",
  "basis points": "bp",
  "basis point": "bp",
  bps: "bp",
  pcs: "pcs",
  pieces: "pcs",
  piece: "pcs",
  stück: "pcs",
  szt: "pcs",
  pce: "pcs",
  pces: "pcs",
  pz: "pcs",
  uds: "pcs",
  stk: "pcs",
  units: "unit",
  shares: "share",
  "degrees celsius": "°C",
  "degrees fahrenheit": "°F",
  degrees: "°",
  knots: "kn",
  employees: "employee",
  passengers: "passenger",
  seats: "seat",
  beds: "bed",
  rooms: "room",
  nights: "night",
  french: "Fr",
};

/**
 * Units of a laboratory, by how they are made: how much of something (`mIU`, `10^3`, cells) in how much
 * of a liquid or a solid.
 */
const PREFIX = "(?:[kmµμunpf]|mc)?";
const PER = `(?:${PREFIX}(?:[lL]|g|mol|Mol)|[dc][lL]|mm[³3]|kg|Kr|h|min|24 ?h)`;
const AMOUNT = `(?:${PREFIX}(?:g|mol|Mol|Eq|eq|IU|UI|IE|U|kat)|[GTM]|cells|(?:[x×*] ?)?10(?:\\^|\\*|e|E)?(?:\\d{1,2}|[³⁶⁹]|¹²))`;
const LABORATORY_UNIT = `${AMOUNT}?/${PER}(?![\\p{L}\\d])`;

/** Of buildings and plants: how much for each square or cubic meter, in a year: `kWh/(m²·a)`, `kgCO2/m2`. */
const PER_AREA =
  "(?:[kMG]?Wh?|k?g|t|L|l)(?: ?CO[2₂](?:-?eq?)?)?/\\(?m[²2³3](?: ?[·*.] ?a)?\\)?(?: (?:per year|anno|año|an|jaar|rok|ano|Jahr)(?!\\p{L}))?";
const IS_PER_AREA = new RegExp(`^${PER_AREA}$`, "u");

const ALIKE: Readonly<Record<string, string>> = {
  m2: "m²",
  m3: "m³",
  l: "L",
  ml: "mL",
  dl: "dL",
  mcg: "µg",
  "mg/dl": "mg/dL",
  "g/dl": "g/dL",
  "ng/ml": "ng/mL",
  "mmol/l": "mmol/L",
  "µmol/l": "µmol/L",
  "umol/L": "µmol/L",
  "umol/l": "µmol/L",
  "mEq/l": "mEq/L",
  "l/100km": "L/100km",
  "µg/l": "µg/L",
  "mg/l": "mg/L",
  "g/l": "g/L",
  "ml/min": "mL/min",
  kB: "KB",
  sqft: "ft²",
};

const longestFirst = (names: readonly string[]): string =>
  [...names]
    .sort((a, b) => b.length - a.length || (a < b ? -1 : 1))
    .map((name) => name.replace(/[.()]/g, "\\$&"))
    .join("|");

/** For patterns with the `u` flag. */
export const UNIT_OF_MEASURE = `(?:${PER_AREA}|${LABORATORY_UNIT}|${inAnyCase(longestFirst(Object.keys(WORDS)))}|${longestFirst(SYMBOLS)})`;

const IS_LABORATORY = new RegExp(`^${LABORATORY_UNIT}$`, "u");

/** The symbol of what is written; null where it is no unit. */
export function unitSymbol(written: string): string | null {
  if (IS_PER_AREA.test(written)) return perArea(written);
  const word = WORDS[written.toLowerCase()];
  if (word !== undefined && written.length > 2) return word;
  if (!SYMBOLS.includes(written)) return word ?? (IS_LABORATORY.test(written) ? written : null);
  return ALIKE[written] ?? written;
}

/** `kWh/m²`, however it is written. */
function perArea(written: string): string {
  const [amount, per] = written.split("/");
  const area = /m([²2³3])/u.exec(per!)![1]!;
  return `${amount!.replace(/ ?CO.*$/u, "")}/m${/[²2]/u.test(area) ? "²" : "³"}`;
}

let foldedSymbols: ReadonlySet<string> | null = null;

/** Whether a word in small letters without raised digits, as labels are compared, is a unit: `kwh`, `m3`. */
export function isFoldedUnit(word: string): boolean {
  if (unitSymbol(word) !== null) return true;
  // A single letter is as often a word, or a box of a form.
  foldedSymbols ??= new Set(
    SYMBOLS.map((symbol) => symbol.normalize("NFKC").toLowerCase()).filter(
      (symbol) => symbol.length > 1,
    ),
  );
  return foldedSymbols.has(word);
}
