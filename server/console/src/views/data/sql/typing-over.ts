/**
 * Typing over what is marked. A browser that does so itself gives the new text the colours of the old one, by a
 * `style` attribute, which the content security policy of the page forbids and reports.
 */

import { EditorState, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";

export const typingOver: Extension = EditorView.domEventHandlers({
  beforeinput({ inputType, data, isComposing }, view) {
    const { main, ranges } = view.state.selection;
    if (inputType !== "insertText" || data === null || isComposing || view.composing) return false;
    if (main.empty || ranges.length > 1 || view.state.facet(EditorState.readOnly)) return false;
    const insert = () =>
      view.state.update(view.state.replaceSelection(data), {
        userEvent: "input.type",
        scrollIntoView: true,
      });
    const { from, to } = main;
    // Others may have more to do with what is typed, such as to close a bracket.
    const isHandled = view.state
      .facet(EditorView.inputHandler)
      .some((handle) => handle(view, from, to, data, insert));
    if (!isHandled) view.dispatch(insert());
    return true;
  },
});
