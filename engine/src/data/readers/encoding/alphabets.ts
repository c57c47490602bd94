/**
 * What languages are written with beyond ASCII, by the encodings that texts of them come in. Where two
 * encodings fit a text equally, the earlier one is taken.
 */

/** Letters are those that the language writes, in small letters. */
export interface LatinCandidate {
  readonly encoding: string;
  readonly alphabets: readonly ReadonlySet<string>[];
}

export interface ScriptCandidate {
  readonly encoding: string;
  readonly script: RegExp;
  readonly frequent: Frequent;
}

/** The commonest characters, and their share of usual texts. */
export interface Frequent {
  readonly characters: ReadonlySet<string>;
  readonly share: number;
}

/** Pairs of bytes; texts have few of those whose first byte is beyond the common ones. */
export interface WideCandidate {
  readonly encoding: string;
  readonly isTrail: (byte: number) => boolean;
  /** Of characters and of what stands between them. */
  readonly isCommon: (lead: number, trail: number) => boolean;
  readonly frequent: Frequent;
}

const WESTERN = [
  "àâæçéèêëîïíñôœùûüÿóªº", // French
  "áâãàçéêíóôõúüñèòªº", // Portuguese
  "áéíóúüñçàèòïªº", // Spanish, Catalan, Galician
  "àèéìíîòóùúç", // Italian
  "áéíóúàèìòùëïöüêçñ", // Dutch, Irish, Scottish
  "äöüßéèàáçêñ", // German
  "æøåéèêóòôâàäöüáã", // Danish, Norwegian
  "äöåéàüæøáô", // Swedish, Finnish
  "äöüõšžéå", // Estonian, Finnish
  "áéíóúýþæöðéø", // Icelandic, Faroese
  "ëçéâ", // Albanian
  "êëîïôûéèáóúíàâäöüý", // Afrikaans, Welsh
];
const CENTRAL = [
  "ąćęłńóśźżéöüä", // Polish
  "áčďéěíňóřšťúůýžöüä", // Czech
  "áäčďéíľňóôšťúýžöüěř", // Slovak
  "áéíóöőúüűä", // Hungarian
  "ăâîşţéáöü", // Romanian
  "čćđšžéöü", // Croatian, Bosnian, Serbian, Slovene
];
const TURKISH = ["çğıöşüi̇"];
const BALTIC = ["ąčęėįšųūžé", "āčēģīķļņšūžŗō"];

const latin = (encoding: string, alphabets: readonly string[]): LatinCandidate => ({
  encoding,
  alphabets: alphabets.map((letters) => new Set(letters)),
});

export const WINDOWS_1252 = latin("windows-1252", WESTERN);

export const LATIN: readonly LatinCandidate[] = [
  latin("windows-1250", CENTRAL),
  latin("iso-8859-2", CENTRAL),
  latin("windows-1254", TURKISH),
  latin("windows-1257", BALTIC),
  latin("iso-8859-15", WESTERN),
];

const frequent = (characters: string, share: number): Frequent => ({
  characters: new Set(characters),
  share,
});

/** In Russian, Ukrainian, Bulgarian, Serbian and Macedonian. */
const CYRILLIC = frequent("аоеинтрсвлкдмпуія", 0.85);
const GREEK = frequent("αοιετσςνηυρπκλμ", 0.8);
const HEBREW = frequent("יוהלאתרבשמנ", 0.7);
const ARABIC = frequent("الينمورتبسعدةك", 0.8);
const THAI = frequent("านรอกเงมยลวดทสตบ", 0.6);

const script = (encoding: string, name: string, letters: Frequent): ScriptCandidate => ({
  encoding,
  script: new RegExp(`\\p{Script=${name}}`, "u"),
  frequent: letters,
});

export const SCRIPTS: readonly ScriptCandidate[] = [
  script("windows-1251", "Cyrillic", CYRILLIC),
  script("koi8-r", "Cyrillic", CYRILLIC),
  script("koi8-u", "Cyrillic", CYRILLIC),
  script("iso-8859-5", "Cyrillic", CYRILLIC),
  script("ibm866", "Cyrillic", CYRILLIC),
  script("x-mac-cyrillic", "Cyrillic", CYRILLIC),
  script("windows-1253", "Greek", GREEK),
  script("iso-8859-7", "Greek", GREEK),
  script("windows-1255", "Hebrew", HEBREW),
  script("iso-8859-8", "Hebrew", HEBREW),
  script("windows-1256", "Arabic", ARABIC),
  script("iso-8859-6", "Arabic", ARABIC),
  script("windows-874", "Thai", THAI),
];

const within =
  (...ranges: readonly (readonly [number, number])[]) =>
  (byte: number): boolean =>
    ranges.some(([least, most]) => byte >= least && byte <= most);

const HIGH = within([0xa1, 0xfe]);
const GB_2312 = within([0xa1, 0xa1], [0xa3, 0xa3], [0xb0, 0xd7]);
const JAPANESE = frequent(
  "のにはをたがでてとしれさいなるあっこもらかりすけんくアイスルトンリドーラシクジタフマ日本国人年大一会中語諸島",
  0.5,
);

export const WIDE: readonly WideCandidate[] = [
  {
    encoding: "shift_jis",
    isTrail: within([0x40, 0x7e], [0x80, 0xfc]),
    isCommon: within([0x81, 0x83], [0x88, 0x97]),
    frequent: JAPANESE,
  },
  {
    encoding: "euc-jp",
    isTrail: HIGH,
    isCommon: within([0xa1, 0xa1], [0xa3, 0xa5], [0xb0, 0xcf]),
    frequent: JAPANESE,
  },
  {
    encoding: "euc-kr",
    isTrail: HIGH,
    isCommon: within([0xa1, 0xa1], [0xa3, 0xa3], [0xb0, 0xc8]),
    frequent: frequent("이다는에의을가한고하지사기리로어도아인자스나시대일서라해국정수전제원", 0.4),
  },
  {
    encoding: "gb18030",
    isTrail: within([0x40, 0x7e], [0x80, 0xfe]),
    // Beyond GB 2312 hardly a character is common.
    isCommon: (lead, trail) => HIGH(trail) && GB_2312(lead),
    frequent: frequent(
      "的一是不了人在有中国大上这个为和年地到时出会工生行业市公司元语亚尼斯拉克西南北拿比尔巴",
      0.3,
    ),
  },
  {
    encoding: "big5",
    isTrail: within([0x40, 0x7e], [0xa1, 0xfe]),
    isCommon: within([0xa1, 0xa2], [0xa4, 0xc6]),
    frequent: frequent(
      "的一是不了人在有中國大上這個為和年地到時出會工生行業市公司元語亞尼斯拉克西南北比爾巴",
      0.3,
    ),
  },
];
