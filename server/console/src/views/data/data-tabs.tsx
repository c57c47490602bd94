/** The parts of the area, above each of them. */

import { NavLink } from "react-router";

export function DataTabs() {
  return (
    <nav className="tabs" aria-label="Data">
      <NavLink to="/data" end>
        Datasets
      </NavLink>
      <NavLink to="/data/sql">SQL</NavLink>
      <NavLink to="/data/catalog">Catalog</NavLink>
      <NavLink to="/data/connectors">Connectors</NavLink>
    </nav>
  );
}
