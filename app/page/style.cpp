#include "app/page/style.hpp"

namespace cisolve {

// Contrast with the ground is at least 4.5 for text and 3 for lines, in light and dark.
const char page_style[] = R"(
:root {
  color-scheme: light dark;
  --ground: #fff; --text: #1b1f24; --quiet: #59626c; --rule: #d5dae0; --card: #f5f7f9;
  --accent: #1d5fa8;
  --s0: #1d5fa8; --s1: #b04a00; --s2: #00735a; --s3: #9b3f80; --s4: #6b6200; --s5: #2a7f9e;
  --s6: #b3263b; --s7: #555d66;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14181d; --text: #e4e8ec; --quiet: #a3adb8; --rule: #38414b; --card: #1c2229;
    --accent: #7db4f0;
    --s0: #7db4f0; --s1: #f0a05a; --s2: #4fc7a4; --s3: #e39ac9; --s4: #d3c65a; --s5: #74cde8;
    --s6: #f28b98; --s7: #b4bdc7;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 3rem 1.5rem 4rem; max-width: 72rem; background: var(--ground);
  color: var(--text); font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
h1 { margin: 0 0 .75rem; font-size: 1.9rem; line-height: 1.2; overflow-wrap: anywhere; }
h2 { margin: 3.5rem 0 1rem; font-size: 1.25rem; }
h3 { margin: 0 0 .5rem; font-size: 1rem; }
p { margin: .5rem 0; max-width: 46rem; }
a { color: var(--accent); }
.quiet, caption, figcaption { color: var(--quiet); font-size: .9rem; }
.status {
  display: inline-block; padding: .2rem .8rem; border: 2px solid var(--accent); border-radius: 1rem;
  color: var(--accent); font-weight: 600;
}
.status.not { border-style: dashed; color: var(--text); border-color: var(--text); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1.5rem; margin: 1.5rem 0 0; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding-bottom: .5rem; }
th, td { padding: .3rem 1.1rem .3rem 0; text-align: left; vertical-align: baseline; }
tbody th { font-weight: inherit; }
thead th { font-weight: 600; white-space: nowrap; }
thead th { border-bottom: 1px solid var(--text); vertical-align: bottom; }
tbody tr + tr > * { border-top: 1px solid var(--rule); }
.number { text-align: right; white-space: nowrap; }
pre { font: .875rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
pre { padding: 1rem; margin: 1rem 0; background: var(--card); border: 1px solid var(--rule); overflow-x: auto; }
summary { cursor: pointer; color: var(--accent); }
figure { margin: 0; overflow-x: auto; }
svg { display: block; width: 100%; height: auto; font-size: 12px; }
svg text { fill: var(--text); stroke: var(--ground); stroke-width: 3px; paint-order: stroke; }
svg .marked { fill: var(--quiet); }
svg .column { font-size: 14px; font-weight: 600; }
svg line, svg path { stroke: var(--text); fill: none; }
svg line.grid { stroke: var(--rule); }
svg line.mark { stroke: var(--quiet); stroke-dasharray: 7 4; }
svg line.level { stroke: var(--accent); stroke-width: 3; }
svg line.open { stroke: var(--text); stroke-dasharray: 5 4; }
svg line.leader { stroke: var(--quiet); }
svg .curve { stroke-width: 1.5; }
svg .point { stroke-width: 1.4; stroke-dasharray: none; }
svg .s0 { stroke: var(--s0); }
svg .s1 { stroke: var(--s1); stroke-dasharray: 6 3; }
svg .s2 { stroke: var(--s2); stroke-dasharray: 2 3; }
svg .s3 { stroke: var(--s3); stroke-dasharray: 8 3 2 3; }
svg .s4 { stroke: var(--s4); stroke-dasharray: 12 4; }
svg .s5 { stroke: var(--s5); stroke-dasharray: 4 4; }
svg .s6 { stroke: var(--s6); stroke-dasharray: 10 3 2 3 2 3; }
svg .s7 { stroke: var(--s7); stroke-dasharray: 1 4; }
svg path.point { stroke-dasharray: none; }
svg rect.share { fill: var(--accent); }
svg rect.paper { fill: none; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: 2.5rem; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; margin: .5rem 0 0; padding: 0;
  list-style: none; font-size: .9rem; }
.legend li { display: flex; align-items: center; gap: .4rem; }
.legend svg { width: 34px; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(30rem, 100%), 1fr)); gap: 1.5rem; }
.card { padding: 1.1rem 1.25rem; background: var(--card); border: 1px solid var(--rule); }
.card table { font-size: .875rem; }
.card td { overflow-wrap: anywhere; }
.occupations { display: flex; flex-wrap: wrap; gap: .1rem .9rem; margin: .2rem 0 0; padding: 0;
  list-style: none; font-variant-numeric: tabular-nums; font-size: .9rem; }
td.bars { width: 14rem; padding-right: 0; }
td.bars svg { width: 14rem; height: .8rem; }
footer { margin-top: 4rem; padding-top: 1rem; border-top: 1px solid var(--rule); }
@media print {
  :root { --ground: #fff; --text: #000; --quiet: #444; --rule: #bbb; --card: #fff;
    --accent: #1d5fa8; --s0: #1d5fa8; --s1: #b04a00; --s2: #00735a; --s3: #9b3f80; --s4: #6b6200;
    --s5: #2a7f9e; --s6: #b3263b; --s7: #555d66; }
  body { padding: 0; max-width: none; font-size: 10pt; }
  h2 { margin-top: 2rem; break-after: avoid; }
  figure { overflow: visible; }
  figure, .card, tr { break-inside: avoid; }
  .wide { overflow: visible; }
  svg { min-width: 0 !important; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; }
  details { display: none; }
}
)";

}  // namespace cisolve
