/** Follows a locator on a document, whatever its kind. */

import type { DocumentText } from "../../parsing/document-text.ts";
import type { Finding } from "../inducer.ts";
import type { Conventions } from "../values/value.ts";
import { locateCell } from "./cell.ts";
import { locateColumn } from "./column.ts";
import { locateDateline } from "./dateline.ts";
import { locateLabel } from "./label.ts";
import type { Locator, Target } from "./locator.ts";
import { locateMeaning } from "./meaning.ts";
import { locatePhrase } from "./phrase.ts";
import { locatePosition } from "./position.ts";
import { locatePresence } from "./presence.ts";
import { locateRole } from "./role.ts";
import { locateSection } from "./section.ts";
import { locateTemplate } from "./template.ts";
import { locateUnit } from "./unit.ts";

/**
 * What the locator finds in the document, best first: values of the target's kind with the text that
 * says them. Empty where it finds none; throws on no document. At most some hundreds.
 */
export function locate(
  content: DocumentText,
  locator: Locator,
  target: Target,
  conventions: Conventions,
): Finding[] {
  switch (locator.kind) {
    case "label":
      return locateLabel(content, locator, target, conventions);
    case "meaning":
      return locateMeaning(content, locator, target, conventions);
    case "section":
      return locateSection(content, locator, target, conventions);
    case "cell":
      return locateCell(content, locator, target, conventions);
    case "phrase":
      return locatePhrase(content, locator, target, conventions);
    case "role":
      return locateRole(content, locator, target);
    case "presence":
      return locatePresence(content, locator, conventions);
    case "column":
      return locateColumn(content, locator, conventions);
    case "position":
      return locatePosition(content, locator, target, conventions);
    case "dateline":
      return locateDateline(content, target, conventions);
    case "unit":
      return locateUnit(content, locator, conventions);
    case "template":
      return locateTemplate(content, locator, target, conventions);
  }
}
