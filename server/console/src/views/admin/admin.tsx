/** Keys, who changed what, what is kept for how long, and how the service does. */

import { Page } from "../../ui/page.tsx";
import { Tabs, useTab } from "../../ui/tabs.tsx";
import { Audit } from "./audit.tsx";
import { Keys } from "./keys.tsx";
import { Retention } from "./retention.tsx";
import { Service } from "./service.tsx";
import { Settings } from "./settings.tsx";
import { Usage } from "./usage.tsx";
import { Workers } from "./workers.tsx";
import "./admin.css";

const TABS = {
  keys: "API keys",
  audit: "Audit log",
  usage: "Usage and quotas",
  retention: "Retention",
  workers: "Workers and queue",
  service: "Service",
  settings: "Settings",
} as const;

export default function Admin() {
  const tab = useTab(TABS);
  return (
    <Page title="Admin" lead="Who may do what, what takes room, and how the service does.">
      <Tabs label="Parts of admin" tabs={TABS} chosen={tab} />
      {tab === "keys" && <Keys />}
      {tab === "audit" && <Audit />}
      {tab === "usage" && <Usage />}
      {tab === "retention" && <Retention />}
      {tab === "workers" && <Workers />}
      {tab === "service" && <Service />}
      {tab === "settings" && <Settings />}
    </Page>
  );
}
