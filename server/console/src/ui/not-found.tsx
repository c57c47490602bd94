import { ButtonLink } from "./button.tsx";
import { Page } from "./page.tsx";

export function NotFound() {
  return (
    <Page title="Nothing is here">
      <p>No view has this address. It may be that of something that was deleted.</p>
      <ButtonLink to="/">Go to the start</ButtonLink>
    </Page>
  );
}
