/** How long a statement has been running. */

import { useEffect, useState } from "react";

export function Running({ since }: { readonly since: number }) {
  const [now, setNow] = useState(since);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  return (
    <p className="note" role="status">
      Running{now - since > 1_500 ? ` for ${Math.round((now - since) / 1000)} s` : ""}…
    </p>
  );
}
