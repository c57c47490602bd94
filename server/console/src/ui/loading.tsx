/** That something is on its way; nothing is shown of waits that nobody notices. */

export function Loading({ label = "Loading" }: { readonly label?: string }) {
  return (
    <p className="loading" role="status">
      <span>{label}…</span>
    </p>
  );
}
