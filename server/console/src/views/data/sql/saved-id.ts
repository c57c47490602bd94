/** Ids of saved statements, made of what people call them. */

const LONGEST = 50;

/** `Sales by región` → `sales_by_region_k3f9`: four letters by chance, so that it is hardly taken. */
export function idOfTitle(title: string, random: () => number = Math.random): string {
  const plain = title.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const words = plain.replace(/[^a-z0-9]+/g, "_").replace(/^_+|_+$/g, "");
  const id = /^[a-z]/.test(words) ? words : `statement_${words}`;
  const short = id.slice(0, LONGEST).replace(/_+$/, "");
  const letters = Array.from({ length: 4 }, () => Math.floor(random() * 36).toString(36));
  return `${short}_${letters.join("")}`;
}
