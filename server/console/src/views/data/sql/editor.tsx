/**
 * The editor of statements. It lives in a shadow root, whose style sheets are made by script: the
 * content security policy of the page allows no style elements.
 */

import {
  autocompletion,
  type CompletionSource,
  closeBrackets,
  closeBracketsKeymap,
  completeFromList,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { PostgreSQL, sql } from "@codemirror/lang-sql";
import { bracketMatching, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { Compartment, EditorState, type Extension, Prec } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useEffectEvent, useRef } from "react";
import type { KnownNames } from "./known-names.ts";
import { typingOver } from "./typing-over.ts";

interface EditorProps {
  /** What it begins with; later changes are its own. */
  readonly start: string;
  readonly names: KnownNames | undefined;
  readonly onChange: (text: string) => void;
  readonly onRun: () => void;
}

const look = EditorView.theme({
  "&": {
    color: "var(--ink)",
    backgroundColor: "var(--card)",
    border: "1px solid var(--control)",
    borderRadius: "8px",
    fontSize: "14px",
  },
  "&.cm-focused": { outline: "2px solid var(--link)", outlineOffset: "1px" },
  ".cm-scroller": { fontFamily: "var(--mono)", minHeight: "150px", maxHeight: "45vh" },
  ".cm-content": { caretColor: "var(--ink)", padding: "8px 0" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": {
    // As high as what is written, which is less than the editor.
    backgroundColor: "transparent",
    color: "var(--muted)",
    border: "0",
  },
  ".cm-activeLine": { backgroundColor: "transparent" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--chosen)",
  },
  ".cm-tooltip": {
    backgroundColor: "var(--card)",
    color: "var(--ink)",
    border: "1px solid var(--control)",
  },
  ".cm-tooltip-autocomplete ul li[aria-selected]": {
    backgroundColor: "var(--main)",
    color: "#fff",
  },
  ".cm-completionDetail": { color: "inherit", opacity: 0.8 },
});

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--link)", fontWeight: "600" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--good)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--warn)" },
  { tag: [tags.lineComment, tags.blockComment], color: "var(--muted)", fontStyle: "italic" },
]);

/** Without the tables, which come with the names. */
function language(names: KnownNames | undefined): Extension {
  const own = names ? ownNames(names) : null;
  return [
    sql({ dialect: PostgreSQL, upperCaseKeywords: true, ...(names && { schema: names.tree }) }),
    own === null ? [] : PostgreSQL.language.data.of({ autocomplete: own }),
  ];
}

/** Columns, tables by their whole names, and functions, wherever a name may stand. */
function ownNames({ columns, tables, functions }: KnownNames): CompletionSource {
  return completeFromList([
    ...columns.map(({ name, detail }) => ({ label: name, type: "property", detail, boost: 2 })),
    ...tables.map((label) => ({ label, type: "class", boost: 1 })),
    ...functions.map((label) => ({ label, apply: `${label}(`, type: "function", boost: -1 })),
  ]);
}

export default function Editor({ start, names, onChange, onRun }: EditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const languageSlot = useRef(new Compartment());
  const changed = useEffectEvent(onChange);
  const run = useEffectEvent(onRun);
  const first = useEffectEvent(() => ({ start, names }));
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    const initial = first();
    const made = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: initial.start,
        extensions: [
          lineNumbers(),
          history(),
          drawSelection(),
          bracketMatching(),
          closeBrackets(),
          typingOver,
          autocompletion(),
          highlightActiveLine(),
          syntaxHighlighting(colours),
          look,
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ "aria-label": "SQL statement" }),
          Prec.highest(
            keymap.of([
              {
                key: "Mod-Enter",
                run: () => {
                  run();
                  return true;
                },
              },
            ]),
          ),
          keymap.of([
            ...closeBracketsKeymap,
            ...completionKeymap,
            ...historyKeymap,
            ...defaultKeymap,
          ]),
          languageSlot.current.of(language(initial.names)),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) changed(state.doc.toString());
          }),
        ],
      }),
    });
    view.current = made;
    return () => made.destroy();
  }, []);
  useEffect(() => {
    view.current?.dispatch({ effects: languageSlot.current.reconfigure(language(names)) });
  }, [names]);
  return <div ref={host} className="sql-editor" />;
}
