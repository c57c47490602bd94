/** The two halves of serving, as tabs with addresses of their own. */

import { NavLink } from "react-router";

export function ServeParts() {
  return (
    <nav className="tabs" aria-label="Parts of serving">
      <NavLink to="/serve" end>
        Endpoints
      </NavLink>
      <NavLink to="/serve/batch">Batch predictions</NavLink>
    </nav>
  );
}
