import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it, vi } from "vitest";

// The client is made for the page's own address.
vi.stubGlobal("location", new URL("http://127.0.0.1/assets/index.js"));
const { DatasetChoice } = await import("./dataset-choice.tsx");

function markup(next: string | null, value: string): string {
  const queries = new QueryClient();
  const datasets = [{ dataset_id: "a", name: "cars", rows: 3 }];
  queries.setQueryData(["datasets", "choice", ""], { datasets, next_page_token: next });
  const control = { id: "choice", "aria-describedby": undefined, "aria-invalid": undefined };
  const choice = createElement(DatasetChoice, { control, value, onChange: () => {}, name: "old" });
  return renderToStaticMarkup(createElement(QueryClientProvider, { client: queries }, choice));
}

it("asks for part of the name where the list has not all datasets", () => {
  expect(markup(null, "a")).not.toContain("search");
  const cut = markup("more", "b");
  expect(cut).toMatch(/<input type="search".*placeholder="Part of the name, beyond these 1"/);
  // The chosen one stays chosen though the list lacks it.
  expect(cut).toMatch(/<option value="b" selected="">[^<]*old/);
});
