/** What stands around every view: the way to the others, who is signed in, light or dark. */

import { type ReactNode, useLayoutEffect } from "react";
import { Link, NavLink, useLocation, useNavigationType } from "react-router";
import { BASE_PATH } from "../api/base.ts";
import { useSession } from "../api/session.tsx";
import logo from "../icon.svg";
import { Boundary } from "../ui/boundary.tsx";
import { Button } from "../ui/button.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { nextTheme, useTheme } from "../ui/theme.ts";
import { useToasts } from "../ui/toasts.tsx";

const AREAS: readonly { to: string; label: string; icon: IconName }[] = [
  { to: "/data", label: "Data", icon: "table" },
  { to: "/train", label: "Train", icon: "flask" },
  { to: "/models", label: "Models", icon: "cube" },
  { to: "/serve", label: "Serve", icon: "signal" },
  { to: "/documents", label: "Documents", icon: "page" },
  { to: "/admin", label: "Admin", icon: "gear" },
];

export function Shell({ children }: { readonly children: ReactNode }) {
  const { pathname } = useLocation();
  const came = useNavigationType();
  useLayoutEffect(() => {
    // What was scrolled to in one view is nowhere in the next; who goes back is where he was.
    if (pathname !== "" && came !== "POP") scrollTo(0, 0);
  }, [pathname, came]);
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to content
      </a>
      <header className="bar">
        <Link to="/" className="brand">
          <img src={logo} alt="" width="24" height="24" />
          <span>Distillery</span>
        </Link>
        <nav aria-label="Areas">
          <ul>
            {AREAS.map(({ to, label, icon }) => (
              <li key={to}>
                <NavLink to={to}>
                  <Icon name={icon} />
                  <span>{label}</span>
                </NavLink>
              </li>
            ))}
          </ul>
        </nav>
        <Account />
      </header>
      <main id="main" tabIndex={-1}>
        <Boundary key={pathname}>{children}</Boundary>
      </main>
    </div>
  );
}

function Account() {
  const { signOut } = useSession();
  const [theme, setTheme] = useTheme();
  const { failed } = useToasts();
  const next = nextTheme(theme);
  return (
    <div className="account">
      <a href={`${BASE_PATH}/docs`} target="_blank" rel="noreferrer">
        <Icon name="book" />
        <span>API</span>
      </a>
      <Button
        look="quiet"
        onClick={() => setTheme(next)}
        title={`Colours: ${theme}. Change to ${next}.`}
      >
        <Icon name={theme === "dark" ? "moon" : theme === "light" ? "sun" : "halfmoon"} />
        <span>Colours: {theme}</span>
      </Button>
      <Button look="quiet" onClick={() => signOut().catch(failed)}>
        <Icon name="leave" />
        <span>Sign out</span>
      </Button>
    </div>
  );
}
