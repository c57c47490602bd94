/** Keys, what is kept for how long, and how the service does. */

import { Page } from "../../ui/page.tsx";
import { Tabs, useTab } from "../../ui/tabs.tsx";
import { Keys } from "./keys.tsx";
import { Retention } from "./retention.tsx";
import { Service } from "./service.tsx";
import { Usage } from "./usage.tsx";

const TABS = {
  keys: "API keys",
  usage: "Usage and quotas",
  retention: "Retention",
  service: "Service",
} as const;

export default function Admin() {
  const tab = useTab(TABS);
  return (
    <Page title="Admin" lead="Who may do what, what takes room, and how the service does.">
      <Tabs label="Parts of admin" tabs={TABS} chosen={tab} />
      {tab === "keys" && <Keys />}
      {tab === "usage" && <Usage />}
      {tab === "retention" && <Retention />}
      {tab === "service" && <Service />}
    </Page>
  );
}
