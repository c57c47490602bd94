/** One view: its title, its actions, its content. */

import { type ReactNode, useEffect } from "react";
import { Link } from "react-router";

interface PageProps {
  readonly title: string;
  /** The way back up, outermost first. */
  readonly path?: readonly { readonly to: string; readonly label: string }[];
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
}

export function Page({ title, path = [], lead, actions, children }: PageProps) {
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
          <h1>{title}</h1>
          {lead && <p className="lead">{lead}</p>}
        </div>
        {actions && <div className="actions">{actions}</div>}
      </div>
      {children}
    </article>
  );
}

/** A part of a view under its own heading. */
export function Card({
  title,
  actions,
  children,
}: {
  readonly title?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section className="card">
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
