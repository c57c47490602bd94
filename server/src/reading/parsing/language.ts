/** The language of a text by its commonest words (Grefenstette 1995). */

const COMMON: Readonly<Record<string, string>> = {
  en: "the of and to in is for by this with that be on thank you invoice date total amount tax number please from page payment",
  de: "der die das und von den mit ist für auf im nicht eine des rechnung datum betrag gesamtbetrag summe ihre bitte zahlung mwst",
  fr: "le la les des et du une est pour dans par sur au votre vous facture montant total date client tva payer",
  nl: "de het een van en is voor op met te niet uw zijn factuur factuurnummer datum bedrag totaal btw klantnummer aan bij",
  es: "el los las de que y en un una por con para su factura fecha importe total cliente número iva pago",
  it: "il di che la e un una per con del della non fattura data importo totale cliente numero iva pagamento sono",
  pt: "o a os as de que e do da em um uma para com não fatura factura data valor total cliente número pagamento",
  pl: "i w na z do nie się jest za dla faktura data sprzedaży nabywca sprzedawca kwota razem termin płatności nr wartość",
};

const WEIGHTS: ReadonlyMap<string, readonly string[]> = byWord();

function byWord(): Map<string, string[]> {
  const languages = new Map<string, string[]>();
  for (const [language, words] of Object.entries(COMMON)) {
    for (const word of words.split(" ")) {
      const there = languages.get(word);
      if (there === undefined) languages.set(word, [language]);
      else there.push(language);
    }
  }
  return languages;
}

/** ISO 639-1 of a text; null where too few words tell. */
export function languageOf(text: string): string | null {
  const scores = new Map<string, number>();
  for (const [word] of text
    .slice(0, 20_000)
    .toLowerCase()
    .matchAll(/\p{L}{1,24}/gu)) {
    const languages = WEIGHTS.get(word);
    for (const language of languages ?? []) {
      scores.set(language, (scores.get(language) ?? 0) + 1 / languages!.length);
    }
  }
  const [best] = [...scores].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return best !== undefined && best[1] >= 2 ? best[0] : null;
}
