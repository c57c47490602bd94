/** The console: a web application over the service's own API, at the service's own address. */

import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { BrowserRouter } from "react-router";
import { BASE_PATH } from "./api/base.ts";
import { queryClient } from "./api/queries.ts";
import { SessionProvider } from "./api/session.tsx";
import { App } from "./app.tsx";
import { loadArea } from "./areas.tsx";
import { applyTheme } from "./ui/theme.ts";
import { Toasts } from "./ui/toasts.tsx";
import "./ui/style.css";
import "./ui/print.css";

applyTheme();
const first = loadArea(globalThis.location.pathname.slice(BASE_PATH.length));
createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <BrowserRouter basename={BASE_PATH}>
        <Toasts>
          <SessionProvider>
            <App first={first} />
          </SessionProvider>
        </Toasts>
      </BrowserRouter>
    </QueryClientProvider>
  </StrictMode>,
);
