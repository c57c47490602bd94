/** Parts of one view, the chosen one in the address. */

import { useEffect, useRef } from "react";
import { Link, useSearchParams } from "react-router";

interface TabsProps<Tab extends string> {
  /** What the tabs are of, for those who do not see them. */
  readonly label: string;
  readonly tabs: Readonly<Record<Tab, string>>;
  readonly chosen: Tab;
}

/** The tab that the address says, or the first. */
export function useTab<Tab extends string>(tabs: Readonly<Record<Tab, string>>): Tab {
  const [query] = useSearchParams();
  const ids = Object.keys(tabs) as Tab[];
  return ids.find((id) => id === query.get("tab")) ?? ids[0]!;
}

function bringIntoView(row: HTMLElement): void {
  const current = row.querySelector<HTMLElement>("[aria-current]");
  if (current === null) return;
  const { offsetLeft: left, offsetWidth: width } = current;
  row.scrollLeft = left - row.offsetLeft - (row.clientWidth - width) / 2;
}

export function Tabs<Tab extends string>({ label, tabs, chosen }: TabsProps<Tab>) {
  const row = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab may lie beyond a narrow window
  useEffect(() => {
    const all = row.current;
    if (all === null) return;
    // A phone that is turned is another window.
    const observer = new ResizeObserver(() => bringIntoView(all));
    observer.observe(all);
    bringIntoView(all);
    return () => observer.disconnect();
  }, [chosen]);
  return (
    <nav ref={row} className="tabs" aria-label={label}>
      {(Object.entries(tabs) as [Tab, string][]).map(([id, text]) => (
        <Link
          key={id}
          to={{ search: `?tab=${id}` }}
          aria-current={id === chosen ? "page" : undefined}
        >
          {text}
        </Link>
      ))}
    </nav>
  );
}
