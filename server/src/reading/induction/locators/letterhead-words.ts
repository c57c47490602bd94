/** Words of letterheads in eight languages: what is no name, what a name goes on with, who is addressed. */

import { LabelIndex } from "./label-index.ts";

/** What a document calls itself, and other words that are no name. */
export const NO_NAMES = new Set(
  (
    "invoice invoices receipt tax bill cash simplified payment credit note debit rechnung facture factuur " +
    "fattura factura fatura faktura quittung gutschrift original copy duplicate reprint kopie copie page " +
    "seite pagina strona customer order sales sale retail welcome welcometo statement quotation delivery " +
    "the your to is table date number no thank you of and counter number adresse adres factuuradres " +
    "afleveradres rechnungsadresse summary details office report form official proforma"
  ).split(" "),
);

/** What stands over the one that a document is sent to. */
export const RECIPIENTS = new LabelIndex([
  "bill to",
  "billed to",
  "billing address",
  "ship to",
  "shipping address",
  "sold to",
  "deliver to",
  "customer",
  "client",
  "attn",
  "attention",
  "to",
  "messrs",
  "kunde",
  "rechnungsadresse",
  "lieferadresse",
  "rechnung an",
  "factuuradres",
  "afleveradres",
  "adresse de facturation",
  "adresse de livraison",
  "destinataire",
  "cliente",
  "destinatario",
  "nabywca",
  "odbiorca",
]);

/** Kinds of document that stand behind a name: `Some Company Invoice`. */
export const KINDS_OF_DOCUMENT = new Set(
  "invoice receipt bill rechnung facture factuur fattura factura fatura faktura".split(" "),
);

/** No name begins with these: the line goes on with the one above. */
export const CONTINUING = new Set([
  "enterprise",
  "trading",
  "company",
  "m",
  "and",
  "holdings",
  "group",
]);
