/** Countries and their larger parts, in the languages that documents name them in. */

const COUNTRIES =
  "Afghanistan Albania Algeria Andorra Angola Argentina Armenia Australia Austria Azerbaijan Bahamas Bahrain Bangladesh Barbados Belarus Belgium Belize Benin Bermuda Bhutan Bolivia Bosnia_and_Herzegovina Botswana Brazil Brunei Bulgaria Burkina_Faso Burundi Cambodia Cameroon Canada Cape_Verde Cayman_Islands Chad Chile China Colombia Comoros Congo Costa_Rica Croatia Cuba Cyprus Czech_Republic Czechia Denmark Djibouti Dominica Dominican_Republic Ecuador Egypt El_Salvador Eritrea Estonia Eswatini Ethiopia Fiji Finland France Gabon Gambia Germany Ghana Gibraltar Greece Greenland Grenada Guatemala Guernsey Guinea Guyana Haiti Honduras Hong_Kong Hungary Iceland India Indonesia Iran Iraq Ireland Isle_of_Man Israel Italy Ivory_Coast Jamaica Japan Jersey Kazakhstan Kenya Kiribati Kosovo Kuwait Kyrgyzstan Laos Latvia Lebanon Lesotho Liberia Libya Liechtenstein Lithuania Luxembourg Macau Madagascar Malawi Malaysia Maldives Mali Malta Marshall_Islands Mauritania Mauritius Mexico Micronesia Moldova Monaco Mongolia Montenegro Morocco Mozambique Myanmar Namibia Nauru Nepal Netherlands New_Zealand Nicaragua Niger Nigeria North_Korea North_Macedonia Norway Oman Pakistan Palau Palestine Panama Papua_New_Guinea Paraguay Peru Philippines Poland Portugal Puerto_Rico Qatar Romania Russia Rwanda Saint_Lucia Samoa San_Marino Saudi_Arabia Senegal Serbia Seychelles Sierra_Leone Singapore Slovakia Slovenia Solomon_Islands Somalia South_Africa South_Korea South_Sudan Spain Sri_Lanka Sudan Suriname Sweden Switzerland Syria Taiwan Tajikistan Tanzania Thailand Timor-Leste Togo Tonga Trinidad_and_Tobago Tunisia Turkey Türkiye Turkmenistan Tuvalu Uganda Ukraine United_Arab_Emirates United_Kingdom United_States_of_America United_States Uruguay Uzbekistan Vanuatu Vatican_City Venezuela Vietnam Yemen Zambia Zimbabwe England_and_Wales England Scotland Wales Northern_Ireland Great_Britain British_Virgin_Islands People's_Republic_of_China European_Union";
const US_STATES =
  "Alabama:AL Alaska:AK Arizona:AZ Arkansas:AR California:CA Colorado:CO Connecticut:CT Delaware:DE District_of_Columbia:DC Florida:FL Georgia:GA Hawaii:HI Idaho:ID Illinois:IL Indiana:IN Iowa:IA Kansas:KS Kentucky:KY Louisiana:LA Maine:ME Maryland:MD Massachusetts:MA Michigan:MI Minnesota:MN Mississippi:MS Missouri:MO Montana:MT Nebraska:NE Nevada:NV New_Hampshire:NH New_Jersey:NJ New_Mexico:NM New_York:NY North_Carolina:NC North_Dakota:ND Ohio:OH Oklahoma:OK Oregon:OR Pennsylvania:PA Rhode_Island:RI South_Carolina:SC South_Dakota:SD Tennessee:TN Texas:TX Utah:UT Vermont:VT Virginia:VA Washington:WA West_Virginia:WV Wisconsin:WI Wyoming:WY";
const PARTS =
  "Ontario Quebec Québec British_Columbia Alberta Manitoba Saskatchewan Nova_Scotia New_Brunswick Newfoundland_and_Labrador Prince_Edward_Island Yukon Nunavut New_South_Wales Queensland South_Australia Tasmania Western_Australia " +
  "Johor Kedah Kelantan Melaka Malacca Negeri_Sembilan Pahang Penang Pulau_Pinang Perak Perlis Sabah Sarawak Selangor Terengganu Kuala_Lumpur Labuan Putrajaya " +
  "Baden-Württemberg Bayern Bavaria Brandenburg Hessen Hesse Mecklenburg-Vorpommern Niedersachsen Nordrhein-Westfalen Rheinland-Pfalz Saarland Sachsen Saxony Sachsen-Anhalt Schleswig-Holstein Thüringen " +
  "Andhra_Pradesh Assam Bihar Gujarat Haryana Karnataka Kerala Madhya_Pradesh Maharashtra Odisha Punjab Rajasthan Tamil_Nadu Telangana Uttar_Pradesh West_Bengal " +
  "Noord-Holland Zuid-Holland Utrecht Gelderland Limburg Friesland Catalonia Cataluña Andalucía Île-de-France Lombardia Toscana Mazowieckie";

/** What the languages call a country: its English name. */
const OTHER_NAMES =
  "Deutschland:Germany Österreich:Austria Schweiz:Switzerland Suisse:Switzerland Frankreich:France Niederlande:Netherlands Nederland:Netherlands Holland:Netherlands Belgien:Belgium Belgique:Belgium België:Belgium Allemagne:Germany Duitsland:Germany Pays-Bas:Netherlands Frankrijk:France España:Spain Espagne:Spain Spanien:Spain Italia:Italy Italien:Italy Italie:Italy Polska:Poland Polen:Poland Brasil:Brazil México:Mexico USA:United_States U.S.A.:United_States U.S.:United_States UK:United_Kingdom U.K.:United_Kingdom UAE:United_Arab_Emirates PRC:China D.C.:District_of_Columbia Washington,_D.C.:District_of_Columbia";

export interface PlaceName {
  /** Its words in lowercase, one space between. */
  readonly key: string;
  readonly name: string;
}

const spaced = (name: string): string => name.replaceAll("_", " ");

function allNames(): PlaceName[] {
  const plain = `${COUNTRIES} ${PARTS}`.split(" ").map(spaced);
  const states = US_STATES.split(" ").map((entry) => spaced(entry.split(":")[0]!));
  const named = [...plain, ...states].map((name) => ({ key: name.toLowerCase(), name }));
  const others = OTHER_NAMES.split(" ").map((entry) => {
    const [other, name] = entry.split(":").map(spaced);
    return { key: other!.toLowerCase(), name: name! };
  });
  return [...named, ...others];
}

/** By their first word, longest first. */
export const PLACE_NAMES: ReadonlyMap<string, readonly PlaceName[]> = byFirstWord(allNames());

function byFirstWord(names: readonly PlaceName[]): Map<string, PlaceName[]> {
  const index = new Map<string, PlaceName[]>();
  for (const name of [...names].sort((a, b) => b.key.length - a.key.length)) {
    const first = name.key.split(" ")[0]!;
    const there = index.get(first);
    if (there === undefined) index.set(first, [name]);
    else there.push(name);
  }
  return index;
}

const BY_ABBREVIATION: ReadonlyMap<string, string> = new Map(
  US_STATES.split(" ").map((entry) => {
    const [name, abbreviation] = entry.split(":");
    return [abbreviation!, spaced(name!)] as const;
  }),
);

/** The state of the United States that two capitals stand for. */
export function stateOf(abbreviation: string): string | null {
  return BY_ABBREVIATION.get(abbreviation) ?? null;
}
