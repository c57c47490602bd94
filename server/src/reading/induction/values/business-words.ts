/** Words that show a line to be a business's name, where no legal form does. */

const WORDS = new Set(
  (
    "trading enterprise enterprises restaurant restoran ristorante restaurante hardware stationery cafe café coffee mart minimart market supermarket hypermarket " +
    "bookstore books bookshop bookcentre syarikat kedai perniagaan pasaraya pharmacy apotheke pharmacie farmacia apotheek clinic klinik hospital hotel resort inn bakery bakeries bäckerei boulangerie " +
    "confectionery store stores shop marketing distributor distributors distribution holdings industries industry services solutions systems technologies technology software " +
    "consulting consultants associates partners bank bancorp insurance versicherung assurance university college institute foundation association bistro kitchen pizza grill bar " +
    "house centre center electrical electronics furniture furnishing grocer grocers grocery seafood noodle catering foods beverages beauty salon laundry workshop motors auto automobile " +
    "tyres petrol petroleum oil gas energy telecommunications telecom communications media studio studios printing press publishing publications logistics transport shipping airlines airways " +
    "construction builders engineering manufacturing laboratories labs pharmaceuticals therapeutics biosciences oncology healthcare health medical dental capital ventures investments securities financial finance fund " +
    "group company corporation cooperative genossenschaft stichting stiftung verein vereniging verlag handel handels société societe societa società sociedad spółka firma entreprise etablissements impresa empresa organisation organization agency authority ministry department council committee " +
    "school academy gymnasium grundschule realschule gesamtschule berufsschule schule collège lycée école colegio instituto escuela scuola liceo istituto basisschool hogeschool universität université universidad università universiteit " +
    "bureau constabulary polizeipräsidium polizeidirektion ordnungsamt landratsamt landkreis stadtverwaltung gemeindeverwaltung finanzamt ayuntamiento jefatura diputación comune prefettura questura mairie préfecture gemeente borough municipality " +
    "court amtsgericht landgericht oberlandesgericht verwaltungsgericht tribunal tribunale juzgado rechtbank " +
    "klinikum krankenhaus klinik ziekenhuis hôpital clinique ospedale clínica laboratory laboratoire laboratorio pathology diagnostics"
  ).split(" "),
);

/** Of these, those that as well are words of other headings: they show no business. */
const GENERIC = new Set(
  "financial securities finance services capital fund health medical communications systems technology technologies insurance assurance energy oil gas solutions media council department committee authority agency group company corporation center centre house bar products investments distribution distributor distributors press printing transport store bank school court academy bureau borough laboratory pathology diagnostics tribunal beverages foods books software consulting medical dental construction engineering manufacturing".split(
    " ",
  ),
);

/** Whether the word on a line of its own shows that a business is named. */
export function isShopWord(word: string): boolean {
  return isBusinessWord(word) && !GENERIC.has(word.toLowerCase());
}

export function isBusinessWord(word: string): boolean {
  return WORDS.has(word.toLowerCase().replace(/['’]s$/, ""));
}

/** Words that make a line a label, a title or a greeting, not a name. */
const NOT_NAMES = new Set(
  (
    "invoice receipt tax bill cash total subtotal sub amount change date time no number qty quantity price description item items code page thank you thanks please again welcome come copy original customer member cashier table order " +
    "gst vat mwst tva btw sst reg registration tel fax phone email website www discount rounding balance due payment paid card visa master credit debit summary goods sold returnable refundable exchange closed open hours " +
    "agreement contract exhibit schedule annex appendix section article recitals whereas witness signature signed title name address statement report form rechnung facture factuur fatura fattura factura faktura " +
    "kwitansi resit jumlah terima kasih sila datang lagi approved terminal salesperson server guest pax dine take away simplified formerly known licensee owned managed operated order your our is are employee party parties recipient discloser whereas now therefore covenant not between by addendum amendment program plan guide notes management discussion analysis risk factors controls procedures items other information overview introduction conclusion background summary contents chapter appendix table figure index"
  ).split(" "),
);

export function isLabelWord(word: string): boolean {
  return NOT_NAMES.has(word.toLowerCase());
}
