/** The parts of working with documents, as tabs with addresses of their own. */

import { Link } from "react-router";

const PARTS = { "": "Documents", "/schemas": "Schemas", "/extractions": "Extractions" } as const;

export function DocumentParts({ chosen }: { readonly chosen: keyof typeof PARTS }) {
  return (
    <nav className="tabs" aria-label="Parts of documents">
      {Object.entries(PARTS).map(([path, words]) => (
        <Link
          key={path}
          to={`/documents${path}`}
          aria-current={path === chosen ? "page" : undefined}
        >
          {words}
        </Link>
      ))}
    </nav>
  );
}
