/** Texts in old encodings, by the tables that the platform reads them with, and names in many languages. */

/** Every character of an encoding of one or two bytes, and its bytes. */
function tableOf(encoding: string): ReadonlyMap<string, readonly number[]> {
  const decoder = new TextDecoder(encoding);
  const table = new Map<string, readonly number[]>();
  const note = (...bytes: readonly number[]): void => {
    const text = decoder.decode(Uint8Array.from(bytes));
    if ([...text].length === 1 && text !== "\ufffd" && !table.has(text)) table.set(text, bytes);
  };
  for (let byte = 0; byte < 256; byte++) note(byte);
  if (!/jis|euc|big5|gb/.test(encoding)) return table;
  for (let lead = 0x81; lead < 0xff; lead++) {
    for (let trail = 0x40; trail < 0xff; trail++) note(lead, trail);
  }
  return table;
}

const tables = new Map<string, ReadonlyMap<string, readonly number[]>>();

/** Without the characters that the encoding does not have. */
export function encoded(text: string, encoding: string): Uint8Array<ArrayBuffer> {
  let table = tables.get(encoding);
  if (table === undefined) {
    table = tableOf(encoding);
    tables.set(encoding, table);
  }
  return Uint8Array.from([...text].flatMap((character) => table.get(character) ?? []));
}

const REGIONS =
  "AD AE AF AL AM AO AR AT AU AZ BA BB BD BE BF BG BH BI BJ BN BO BR BS BT BW BY BZ CA CD CF CG CH CI CL CM CN CO CR CU CV CY CZ DE DJ DK DM DO DZ EC EE EG ER ES ET FI FJ FR GA GB GE GH GM GN GQ GR GT GW GY HN HR HT HU ID IE IL IN IQ IR IS IT JM JO JP KE KG KH KM KR KW KZ LA LB LI LK LR LS LT LU LV LY MA MC MD ME MG MK ML MM MN MR MT MU MV MW MX MY MZ NA NE NG NI NL NO NP NZ OM PA PE PG PH PK PL PT PY QA RO RS RU RW SA SB SC SD SE SG SI SK SM SN SO SR SV SY SZ TD TG TH TJ TM TN TR TT TZ UA UG US UY UZ VA VE VN YE ZA ZM ZW".split(
    " ",
  );

/** Names of countries, languages and currencies as the language writes them. */
export function namesIn(language: string): readonly string[] {
  const of = (type: "region" | "language" | "currency", codes: readonly string[]): string[] => {
    const names = new Intl.DisplayNames(language, { type });
    return codes.map((code) => (names.of(code) ?? code).replace(/[,\u200e\u200f]/g, ""));
  };
  return [
    ...of("region", REGIONS),
    ...of(
      "language",
      REGIONS.map((region) => new Intl.Locale("und", { region }).maximize().language),
    ),
    ...of("currency", Intl.supportedValuesOf("currency")),
  ];
}
