/** The call that is equal to what a view does, in three languages, to copy. */

import { type KeyboardEvent, useId, useRef, useState } from "react";
import { Button } from "./button.tsx";
import { type Call, LANGUAGES, type Language, snippetOf } from "./snippet-text.ts";
import "./snippet.css";
import { SERVICE_URL } from "../api/base.ts";

const TITLES: Readonly<Record<Language, string>> = {
  curl: "curl",
  typescript: "TypeScript",
  python: "Python",
};
/** Kept for the next visit. */
const KEY = "distillery.language";
const SHOWN_MS = 2_000;

function keptLanguage(): Language {
  const kept = localStorage.getItem(KEY);
  return LANGUAGES.find((language) => language === kept) ?? "curl";
}

interface SnippetProps {
  readonly call: Call;
  /** What the call is of, for those who do not see it, such as `Start this run`. */
  readonly label: string;
}

export function Snippet({ call, label }: SnippetProps) {
  const id = useId();
  const [language, setLanguage] = useState(keptLanguage);
  const [note, setNote] = useState("");
  const code = useRef<HTMLElement>(null);
  const tabs = useRef<HTMLDivElement>(null);
  const text = snippetOf(language, call, SERVICE_URL);
  const choose = (chosen: Language): void => {
    localStorage.setItem(KEY, chosen);
    setLanguage(chosen);
    setNote("");
  };
  const step = (event: KeyboardEvent): void => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    const at = (LANGUAGES.indexOf(language) + by + LANGUAGES.length) % LANGUAGES.length;
    choose(LANGUAGES[at]!);
    tabs.current?.querySelectorAll("button")[at]?.focus();
  };
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setNote("Copied");
      setTimeout(() => setNote(""), SHOWN_MS);
    } catch {
      // Browsers keep the clipboard from pages without TLS; what is marked can be copied by hand.
      if (code.current) getSelection()?.selectAllChildren(code.current);
      setNote("Marked: copy it by Ctrl+C");
    }
  };
  return (
    <div className="snippet">
      <div className="head">
        <div role="tablist" aria-label={`${label}, by language`} ref={tabs} onKeyDown={step}>
          {LANGUAGES.map((each) => (
            <button
              key={each}
              id={`${id}-${each}`}
              type="button"
              role="tab"
              aria-selected={each === language}
              aria-controls={`${id}-code`}
              tabIndex={each === language ? 0 : -1}
              onClick={() => choose(each)}
            >
              {TITLES[each]}
            </button>
          ))}
        </div>
        <div className="row">
          <span role="status">{note}</span>
          <Button look="quiet" onClick={() => void copy()}>
            Copy
          </Button>
        </div>
      </div>
      <pre
        id={`${id}-code`}
        role="tabpanel"
        aria-labelledby={`${id}-${language}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        tabIndex={0}
      >
        <code ref={code}>{text}</code>
      </pre>
    </div>
  );
}
