/** Keeps a view's fault to that view; the way to the others stays. */

import { Component, type ReactNode } from "react";
import { ProblemNote } from "./problem.tsx";

interface Props {
  readonly children: ReactNode;
}

export class Boundary extends Component<Props, { readonly error: unknown }> {
  override state = { error: null as unknown };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children;
    return <ProblemNote error={this.state.error} retry={() => this.setState({ error: null })} />;
  }
}
