/** One view: its title, its actions, its content. */

import { type ReactNode, useEffect, useRef } from "react";
import { Link, useLocation } from "react-router";

interface PageProps {
  readonly title: string;
  /** The way back up, outermost first. */
  readonly path?: readonly { readonly to: string; readonly label: string }[];
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
}

export function Page({ title, path = [], lead, actions, children }: PageProps) {
  const heading = useFocusOnArrival();
  useEffect(() => {
    document.title = `${title} · Distillery`;
  }, [title]);
  return (
    <article className="page">
      {path.length > 0 && (
        <nav aria-label="Where this is" className="crumbs">
          {path.map(({ to, label }) => (
            <Link key={to} to={to}>
              {label}
            </Link>
          ))}
        </nav>
      )}
      <div className="head">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead && <p className="lead">{lead}</p>}
        </div>
        {actions && <div className="actions">{actions}</div>}
      </div>
      {children}
    </article>
  );
}

/** Of the view that the browser itself opened, while it is shown: there the page is read from its top. */
let openedFirst: string | null = null;

/** Who goes on to another view, by keyboard or by ear, goes on at its heading. */
function useFocusOnArrival() {
  const heading = useRef<HTMLHeadingElement>(null);
  const { key } = useLocation();
  const arrived = useRef(key);
  useEffect(() => {
    openedFirst ??= arrived.current;
    if (openedFirst === arrived.current) return;
    openedFirst = "";
    const focused = document.activeElement;
    const led = focused instanceof HTMLAnchorElement && focused.pathname === location.pathname;
    // What was chosen meanwhile keeps the focus, as a dialog does that the address opens.
    if (led || focused === null || focused === document.body) heading.current?.focus();
  }, []);
  return heading;
}

/** A part of a view under its own heading. */
export function Card({
  title,
  actions,
  isWide = false,
  children,
}: {
  readonly title?: ReactNode;
  readonly actions?: ReactNode;
  /** As wide as all columns beside which it stands. */
  readonly isWide?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <section className={isWide ? "card wide" : "card"}>
      {(title || actions) && (
        <div className="head">
          {title && <h2>{title}</h2>}
          {actions && <div className="actions">{actions}</div>}
        </div>
      )}
      {children}
    </section>
  );
}

/** Where there is nothing yet: what it will be, and what to do next. */
export function Empty({
  title,
  children,
  action,
}: {
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
      {action && <p>{action}</p>}
    </div>
  );
}
