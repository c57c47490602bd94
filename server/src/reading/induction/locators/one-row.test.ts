import { expect, it } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import { parseText } from "../../parsing/parse.ts";
import { NEUTRAL_CONVENTIONS, type ValueKind } from "../values/value.ts";
import { locate } from "./locate.ts";
import { locatorSchema } from "./locator.ts";

function first(html: string, label: string, kind: ValueKind) {
  const content = documentText(parseText("a.html", html));
  const where = ["right", "below"];
  const locator = locatorSchema.parse({
    kind: "label",
    labels: [label],
    where,
    pick: "first",
    except: [],
  });
  const target = { kind, multiple: false, enum: [] };
  return locate(content, locator, target, NEUTRAL_CONVENTIONS)[0]?.normal;
}

const ROW =
  "<table><thead><tr><th>Qualm</th><th>Zorbs</th><th>Frob</th></tr></thead>" +
  "<tr><td>one at night</td><td>500 mg</td><td>30 days</td></tr></table>";

it("takes what stands under a title that nobody listed, not the title beside it", () => {
  expect(first(ROW, "qualm", "text")).toBe("one at night");
});

it("keeps the sign of a figure behind its label, and no dash that joins the two", () => {
  expect(first("<p>Flash point: -14 °C closed</p>", "flash point", "text")).toMatch(/^-14 °C/);
  expect(first("<p>Order no.-AB123</p>", "order no", "identifier")).toBe("AB123");
});
