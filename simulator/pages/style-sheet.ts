/** The style of all pages, light and dark. No font and no picture comes from elsewhere. */
export const styleSheet = `
:root {
  color-scheme: light dark;
  --ground: #f3f4f7; --card: #fff; --line: #dcdfe6; --text: #1b1f29; --quiet: #5a6272;
  --accent: #3157c4; --on-accent: #fff; --good: #17693a; --good-ground: #dff3e6;
  --bad: #a02424; --bad-ground: #fbe4e4; --open: #7a5200; --open-ground: #fcefd2;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #13151b; --card: #1d2029; --line: #343946; --text: #e9ebf1; --quiet: #a4acbc;
    --accent: #8ba7ff; --on-accent: #10162b; --good: #84d9a4; --good-ground: #173524;
    --bad: #ff9d9d; --bad-ground: #452023; --open: #f0c56d; --open-ground: #3d2f10;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--ground); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
p, h1, h2, h3, dd, td, li { overflow-wrap: anywhere; }
header { padding: .75rem max(1rem, (100% - 70rem) / 2); background: var(--card); border-bottom: 1px solid var(--line); }
header a { color: inherit; font-weight: 600; text-decoration: none; }
main { max-width: 72rem; margin: 0 auto; padding: 1.25rem 1rem 3rem; }
.consumer main { max-width: 27rem; padding-top: clamp(1rem, 8vh, 5rem); }
h1 { font-size: 1.4rem; line-height: 1.25; margin: 0 0 .25rem; }
h2 { font-size: 1.05rem; margin: 0 0 .75rem; }
h3, h4 { font-size: .95rem; margin: 0; }
h3.group { margin: 1.2rem 0 .3rem; color: var(--quiet); font-size: .85rem; font-weight: 600; }
.line + h3.group { margin-top: 0; }
p { margin: 0 0 .75rem; }
a { color: var(--accent); }
.quiet { color: var(--quiet); font-size: .875rem; }
.card {
  background: var(--card); border: 1px solid var(--line); border-radius: .6rem;
  padding: 1.1rem; margin-bottom: 1.1rem; min-width: 0;
}
.card > :last-child { margin-bottom: 0; }
.card > .line { margin-bottom: .75rem; }
.card > .line :is(h1, h2) { margin: 0; }
.consumer .card { padding: 1.5rem; }
.consumer .card > form, .consumer .card > p:last-child { margin-top: 1rem; margin-bottom: 0; }
.notice {
  padding: .8rem 1.1rem; margin-bottom: 1.1rem; border: 1px solid currentColor; border-radius: .6rem;
  overflow-wrap: anywhere;
}
.notice p { white-space: pre-line; }
.notice > :last-child { margin-bottom: 0; }
.notice.good { background: var(--good-ground); color: var(--good); }
.notice.bad { background: var(--bad-ground); color: var(--bad); }
.notice.open { background: var(--open-ground); color: var(--open); display: flex; flex-wrap: wrap; gap: .2rem .8rem; }
.notice.open p { margin: 0; }
.notice a { color: inherit; }
.notice h2 { margin: 1rem 0 .4rem; color: var(--text); }
.notice pre { color: var(--text); }
ul.inline { list-style: none; display: flex; flex-wrap: wrap; gap: .2rem .8rem; margin: 0; padding: 0; }
.empty { color: var(--quiet); padding: 1rem 0; }
.trail { margin: -.4rem 0 .6rem; font-size: .875rem; }
.countdown, .number { font-variant-numeric: tabular-nums; }
.columns { display: grid; gap: 0 1.1rem; align-items: start; }
@media (min-width: 60rem) {
  .columns { grid-template: auto 1fr / minmax(0, 1fr) 21rem; }
  .columns > :nth-child(2) { grid-area: 1 / 2 / span 2; }
  .columns > :nth-child(3) { grid-area: 2 / 1; }
}
.amount { font-size: 2rem; font-weight: 650; margin: .25rem 0 1rem; font-variant-numeric: tabular-nums; }
.badge {
  display: inline-block; padding: .05rem .55rem; border-radius: 1rem; font-size: .8rem; font-weight: 600;
  white-space: nowrap; background: var(--open-ground); color: var(--open);
}
.badge.good { background: var(--good-ground); color: var(--good); }
.badge.bad { background: var(--bad-ground); color: var(--bad); }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .3rem 1rem; margin: 0; }
dt { color: var(--quiet); }
dd { margin: 0; }
ul.goods { list-style: none; margin: 0 0 1.1rem; padding: 0; border-top: 1px solid var(--line); }
ul.goods li {
  display: flex; justify-content: space-between; gap: 1rem; padding: .5rem 0; border-bottom: 1px solid var(--line);
}
ul.goods span:first-child { overflow-wrap: anywhere; min-width: 0; }
ul.goods span:last-child { white-space: nowrap; font-variant-numeric: tabular-nums; }
button, input, select { font: inherit; color: inherit; border-radius: .4rem; border: 1px solid var(--line); }
button { padding: .4rem .8rem; background: var(--card); cursor: pointer; }
button:hover { border-color: var(--accent); }
button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600; }
button.on { border-color: var(--open); color: var(--open); }
button.small { padding: .15rem .55rem; font-size: .85rem; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
input, select { width: 100%; padding: .4rem .55rem; background: var(--ground); }
label { display: block; margin-bottom: .7rem; font-size: .875rem; color: var(--quiet); }
.pair { display: grid; grid-template-columns: 1fr 6rem; gap: .7rem; }
.together { display: flex; align-items: end; gap: .5rem; }
.together label { flex: 1; margin: 0; }
.search { display: flex; gap: .4rem; flex: 0 1 18rem; margin-left: auto; }
.search input { min-width: 0; padding-block: .2rem; }
label input, label select { display: block; margin-top: .2rem; font-size: 1rem; color: var(--text); }
.buttons { display: flex; flex-wrap: wrap; gap: .5rem; }
.consumer .buttons { flex-direction: column; }
.consumer .buttons button { padding: .7rem; }
table { width: 100%; border-collapse: collapse; font-size: .925rem; }
th { text-align: left; font-weight: 500; color: var(--quiet); font-size: .85rem; }
th, td { padding: .45rem .6rem .45rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
tr:last-child td { border-bottom: 0; }
td.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
@media (max-width: 40rem) {
  table, tbody, tr, td { display: block; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
  tr:last-child { border-bottom: 0; }
  td { display: grid; grid-template-columns: 6.5rem minmax(0, 1fr); padding: .1rem 0; border: 0; }
  td::before { content: attr(data-label); color: var(--quiet); font-size: .85rem; }
  td.number { white-space: normal; }
  td.none { display: none; }
  .orders tr { display: grid; grid-template-columns: minmax(0, 1fr) max-content; gap: .1rem 1rem; }
  .orders td { display: block; }
  .orders td::before { content: none; }
  .orders td:nth-child(3) { grid-area: 1 / 2; justify-self: end; }
  .orders td:nth-child(n + 4), .orders td:nth-child(2) { font-size: .85rem; color: var(--quiet); }
  .orders td:nth-child(4) { justify-self: end; }
  .orders td:nth-child(5) { display: none; }
}
.callback + .callback { border-top: 1px solid var(--line); margin-top: 1rem; padding-top: 1rem; }
.line { display: flex; flex-wrap: wrap; align-items: center; gap: .3rem .6rem; margin-bottom: .3rem; }
.line form { margin-left: auto; }
table + form, .buttons + form { margin-top: 1rem; }
.switches { list-style: none; margin: 0; padding: 0; display: grid; gap: 0 2.5rem; }
@media (min-width: 60rem) {
  .attempts { table-layout: fixed; }
  .attempts th:nth-child(1) { width: 6rem; } .attempts th:nth-child(3) { width: 5rem; }
  .attempts th:nth-child(4) { width: 11rem; }
}
.switches li {
  display: grid; grid-template-columns: minmax(0, 1fr) max-content; gap: .2rem 1rem; align-items: center;
  padding: .5rem 0; border-top: 1px solid var(--line);
}
.switches .quiet { margin: 0; }
@media (max-width: 30rem) { .switches li { grid-template-columns: minmax(0, 1fr); } }
code, pre { font: .85em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
code { overflow-wrap: anywhere; }
pre { overflow-x: auto; padding: .8rem; margin: 0; background: var(--ground); border-radius: .4rem; }
`;
