/** Buttons, and links that look like them. */

import type { ButtonHTMLAttributes, ReactNode } from "react";
import { Link, type LinkProps } from "react-router";

/** `main` is what a view is for; one of it a view. */
type Look = "main" | "plain" | "quiet" | "danger";

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: Look;
  /** While what it started runs: it cannot be pressed again. */
  readonly busy?: boolean;
  readonly children: ReactNode;
}

export function Button({
  look = "plain",
  busy = false,
  type = "button",
  className = "",
  disabled,
  ...rest
}: ButtonProps) {
  return (
    <button
      type={type}
      className={`button ${look} ${className}`}
      disabled={disabled === true || busy}
      aria-busy={busy}
      {...rest}
    />
  );
}

export function ButtonLink({
  look = "plain",
  className = "",
  ...rest
}: LinkProps & { readonly look?: Look }) {
  return <Link className={`button ${look} ${String(className)}`} {...rest} />;
}
