import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fillTables, table } from "../../tools/contract/documents/markdown-table.ts";
import { type ChaosFigures, countsOf, sum, summaryOf } from "./chaos/figures.ts";
import { type Measured, readFigures, root } from "./measured.ts";
import type { MutationScore } from "./mutate/report.ts";
import { type Findings, isNoticed, readMistakes } from "./sabotage/mistakes.ts";

type MutationFigures = Readonly<Record<string, MutationScore>>;

interface LoadFigures {
  readonly ratios: Readonly<Record<keyof typeof loadRows, number>>;
}

/** The documents that tell figures, as the figures of the last runs make them. People write the text around them. */
export function proofDocuments(): Map<string, string> {
  const strongest = [
    ["callbacks on a bad day, and what was wrong after it", figuresOf("chaos", badDay)],
    ["mistakes put into the sources, and noticed from outside", figuresOf("sabotage", noticed)],
    ["small changes of the domain that the unit tests notice", figuresOf("mutation", killed)],
  ];
  const tables = {
    chaos: figuresOf("chaos", chaosTable),
    sabotage: figuresOf("sabotage", sabotageTable),
    mutation: figuresOf("mutation", mutationTable),
    load: figuresOf("load", loadTable),
  };
  const filled = (path: string, made: Record<string, string>) =>
    [path, fillTables(readFileSync(join(root, path), "utf8"), made)] as const;
  return new Map([
    filled("docs/proof.md", tables),
    filled("README.md", { proof: table(["", "the last run"], strongest) }),
  ]);
}

function figuresOf<Figures>(name: string, textOf: (figures: Figures & Measured) => string): string {
  const figures = readFigures<Figures>(join(root, `docs/proof/${name}.json`));
  return figures === undefined ? "Not run yet." : textOf(figures);
}

/** A sentence that says what came out, where and when, then a table. */
function describeFigures(
  sentence: string,
  { date, machine, commit }: Measured,
  ...rows: readonly (readonly string[])[]
): string {
  const [head = [], ...rest] = rows;
  const measured = `Measured on ${date} (${machine}; commit ${commit}).`;
  return `${sentence}${measured}\n\n${table(head, rest)}`;
}

function chaosTable(figures: ChaosFigures & Measured): string {
  const rows = countsOf(figures).map(({ rule, checked, excused, wrong }) => [
    rule,
    countText(checked),
    countText(excused),
    countText(wrong),
  ]);
  const head = ["count", "looked at", "excused", "wrong"];
  return describeFigures(`${badDay(figures)} `, figures, head, ...rows);
}

function badDay(figures: ChaosFigures): string {
  const wrong = sum(countsOf(figures).map((rule) => rule.wrong));
  return `${summaryOf(figures)}: ${countText(wrong)} wrong.`;
}

function sabotageTable(figures: Findings & Measured): string {
  const rows = readMistakes().flatMap(({ name, rule }) => {
    const finding = figures.mistakes[name];
    if (finding === undefined) return [];
    const { [rule]: count = 0, ...others } = finding.noticedBy;
    const noticedToo = Object.entries(others).map(([other, times]) => `${other} (${times})`);
    const too = noticedToo.join(", ");
    return [[name, rule, String(count), too, finding.commit]];
  });
  const head = ["mistake", "the rule that is there for it", "times", "other rules too", "commit"];
  return describeFigures(`${noticed(figures)} `, figures, head, ...rows);
}

function noticed({ mistakes }: Findings): string {
  const all = readMistakes();
  const looked = all.flatMap((mistake) => {
    const finding = mistakes[mistake.name];
    return finding === undefined ? [] : [isNoticed(mistake, finding)];
  });
  const remaining = all.length - looked.length;
  const more = remaining === 0 ? "" : `; ${remaining} more were not looked for yet`;
  return `${looked.filter(Boolean).length} of ${looked.length}${more}.`;
}

/** Each folder has its own measurement beside the one of the whole file. */
function foldersIn({
  date: _date,
  commit: _commit,
  machine: _machine,
  ...folders
}: MutationFigures) {
  return Object.entries(folders);
}

function mutationTable(figures: MutationFigures & Measured): string {
  const all = foldersIn(figures);
  const rows = all.map(([folder, { mutants, loaded, score, reasons, unread, commit }]) => [
    `shared/${folder}`,
    countText(mutants),
    `${score} %`,
    countText(sum(Object.values(reasons))),
    countText(unread),
    countText(loaded),
    commit,
  ]);
  const why = all.flatMap(([folder, { reasons }]) =>
    Object.entries(reasons).map(([reason, count]) => [folder, countText(count), reason]),
  );
  const head = [
    "folder",
    "changes",
    "noticed",
    "survivors with a reason",
    "not read yet",
    "not tried: run only at load",
    "commit",
  ];
  const measured = describeFigures(
    `${killed(figures)} `,
    all.at(-1)?.[1] ?? figures,
    head,
    ...rows,
  );
  return `${measured}\n\n${table(["folder", "survivors", "why they do not matter"], why)}`;
}

function killed(figures: MutationFigures): string {
  const all = foldersIn(figures).map(([, score]) => score);
  const mutants = sum(all.map((score) => score.mutants));
  const share = 1 - sum(all.map((score) => score.survivors)) / Math.max(1, mutants);
  return `${(100 * share).toFixed(1)} % of ${countText(mutants)}.`;
}

const loadRows = {
  throughput: "callbacks a second, at most",
  acknowledged: "time until the acknowledgement, at a low rate (median)",
  queued: "time until the event is in the team's queue, at a low rate (median)",
};

function loadTable(figures: LoadFigures & Measured): string {
  const names = ["throughput", "acknowledged", "queued"] as const;
  const rows = names.map((name) => [loadRows[name], figures.ratios[name].toFixed(2)]);
  return describeFigures(
    "",
    figures,
    ["the stack", "divided by the same AWS calls alone"],
    ...rows,
  );
}

function countText(count: number): string {
  return count.toLocaleString("en-US");
}
