/** The page's one style sheet: light, dark and paper; from 320 px up. */

/** Colours by name, for paper and for the dark. */
export const LIGHT = `--paper:#f7f7f5;--card:#fff;--ink:#1c1f23;--muted:#5b626b;--line:#dcdfe3;--grid:#e8eaed;--axis:#9aa1a9;
--link:#0b5cad;--warn:#7a4b00;--warn-back:#fff4dc;--warn-line:#e8c77e;--good:#1a6b3c;--bad:#a3262a;
--s1:#2f6db3;--s2:#d9731a;--s3:#2a8f6d;--s4:#b8458f;--s5:#8a6d1f;--s6:#6a55c2;--s7:#5d6a75;--s8:#c0392b;
--h1:#2f6db3;--h2:#7c9ccb;--h3:#a79fae;--h4:#d48a6b;--h5:#c2410c;--cell:#2f6db3;`;

export const DARK = `--paper:#15181c;--card:#1d2126;--ink:#e6e8eb;--muted:#a3abb5;--line:#343a42;--grid:#2b3037;--axis:#69717b;
--link:#7db7f5;--warn:#ffd58a;--warn-back:#33290f;--warn-line:#6d561f;--good:#6fd39b;--bad:#ff8f8f;
--s1:#6aa9ee;--s2:#f29a4b;--s3:#4fc39b;--s4:#e77fc1;--s5:#cdb04e;--s6:#a493f5;--s7:#9aa7b2;--s8:#f0766a;
--h1:#5ea2ee;--h2:#88a9d3;--h3:#9d98a6;--h4:#dd8f6c;--h5:#fb7a3c;--cell:#5ea2ee;`;

export const STYLE = `:root{color-scheme:light dark;${LIGHT}}
@media (prefers-color-scheme:dark){:root{${DARK}}}
@media print{:root{color-scheme:light;${LIGHT}--paper:#fff;}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;
overflow-wrap:anywhere}
main,header,footer{max-width:1180px;margin:0 auto;padding:0 20px}
header{padding-top:28px}
h1{font-size:1.7rem;line-height:1.2;margin:0 0 4px}
h2{font-size:1.2rem;margin:40px 0 12px;padding-bottom:6px;border-bottom:1px solid var(--line)}
h3{font-size:1rem;margin:0 0 4px;line-height:1.3}
p{margin:0 0 8px}
a{color:var(--link)}
a:focus-visible,summary:focus-visible,.scroll:focus-visible{outline:2px solid var(--link);outline-offset:2px}
.scroll em{display:block;color:var(--warn);font-style:normal}
.lead,.note,figcaption p{color:var(--muted)}
.note,figcaption p{font-size:.875rem}
nav ul{display:flex;flex-wrap:wrap;gap:4px 18px;list-style:none;margin:16px 0 0;padding:0;font-size:.9rem}
.warnings{background:var(--warn-back);border:1px solid var(--warn-line);border-radius:8px;padding:12px 18px;margin:18px 0;color:var(--warn)}
.warnings h2{border:0;margin:0 0 4px;padding:0;font-size:1rem}
.warnings ul{margin:0;padding-left:20px}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,170px),1fr));gap:12px;margin:18px 0 0;padding:0}
.tile{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:10px 14px;margin:0}
.tile dt{color:var(--muted);font-size:.8rem}
.tile dd{margin:0;font-size:1.25rem;font-weight:600;font-variant-numeric:tabular-nums;line-height:1.3}
.tile dd small{display:block;font-size:.8rem;font-weight:400;color:var(--muted)}
.grid{columns:2 440px;column-gap:16px}
.card{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:16px 18px;margin:0;min-width:0}
.grid>*{break-inside:avoid;margin:0 0 16px}
.grid>:only-child,.grid>.wide{column-span:all}
.below,.card+.grid{margin-top:16px}
.chart{margin-top:8px;max-width:560px}
.chart svg{display:block;width:100%;height:auto}
details{margin-top:10px;font-size:.875rem}
summary{cursor:pointer;color:var(--link)}
.scroll{overflow-x:auto;margin-top:8px;max-height:70vh}
.grid .scroll{max-height:440px}
.grid>.wide{margin-top:16px}
.grid .wide .scroll{max-height:none}
table{border-collapse:collapse;font-size:.85rem;width:100%}
caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
th,td{padding:5px 10px;text-align:left;border-bottom:1px solid var(--line);vertical-align:top;font-weight:400;overflow-wrap:break-word;max-width:26em}
thead th{position:sticky;top:0;background:var(--card);color:var(--muted);font-size:.8rem;white-space:nowrap}
td:last-child:not(.n){min-width:11em}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
tbody tr:last-child>*{border-bottom:0}
code{display:block;min-width:26em;font:.85em/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
pre{margin:8px 0 0;overflow-x:auto;font:.8rem/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre-wrap}
.bar{display:inline-block;vertical-align:middle;width:90px;height:8px;color:var(--s1)}
.spark{display:block;width:120px;height:30px;color:var(--s1)}
.legend{display:flex;flex-wrap:wrap;gap:2px 16px;list-style:none;margin:8px 0 4px;padding:0;font-size:.8rem}
.chart svg.dot{display:inline-block;width:10px;height:10px;margin-right:6px}
.finished{color:var(--good)}.failed{color:var(--bad)}.pruned,.refused,.dropped,.running{color:var(--muted)}
footer{margin-top:48px;padding-bottom:40px;color:var(--muted);font-size:.85rem}
@media (max-width:640px){.stacks,.stacks tbody,.stacks tr,.stacks th,.stacks td{display:block}.stacks thead{display:none}
.stacks tr{border-bottom:1px solid var(--line);padding:8px 0}.stacks tbody tr:last-child{border-bottom:0}
.stacks tbody th,.stacks tbody td,.stacks td.n{display:flex;gap:12px;justify-content:space-between;max-width:none;border:0;padding:2px 0;white-space:normal;text-align:right}
.stacks [data-head]::before{content:attr(data-head);color:var(--muted);text-align:left;flex:none}
.stacks tbody th{font-weight:600}.stacks td:has(code){display:block;text-align:left}.stacks code{min-width:0}}
@media (max-width:520px){main,header,footer{padding-left:12px;padding-right:12px}.card{padding:12px}th,td{padding:5px 7px}}
@media print{body{font-size:11pt}.card,tr{break-inside:avoid}h2,h3{break-after:avoid}nav{display:none}.scroll{overflow:visible;max-height:none!important}
thead th,thead th.n{position:static;white-space:normal;font-size:inherit}.grid{columns:2}details:not([open]){display:none}
table{font-size:8pt}th,td{padding:3px 5px}code,td:last-child:not(.n){min-width:0;overflow-wrap:anywhere}.bar{width:48px}}
`;
