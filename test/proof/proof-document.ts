import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fillTables, table } from "../../tools/contract/documents/markdown-table.ts";
import { ruleNames } from "./chaos/check/check.ts";
import {
  type ChaosFigures,
  commitsOf,
  countsExcuses,
  countsOf,
  sum,
  summaryOf,
} from "./chaos/figures.ts";
import { isSaturated, type Step } from "./load/step.ts";
import { type Measured, readFigures, root } from "./measured.ts";
import { dollarsOfMillion, type MemoryRow } from "./memory/memory-row.ts";
import type { MutationScore } from "./mutate/report.ts";
import { type Findings, isNoticed, readMistakes } from "./sabotage/mistakes.ts";

type MutationFigures = Readonly<Record<string, MutationScore>>;

interface MemoryFigures {
  readonly awsMilliseconds: number;
  readonly serviceMilliseconds: number;
  readonly rows: readonly MemoryRow[];
}

interface LoadFigures {
  readonly ratios: { readonly throughput: number };
  readonly stack: readonly Step[];
  readonly bare: readonly Step[];
}

/** The documents with figures, filled from the last runs. People write the text around them. */
export function proofDocuments(): Map<string, string> {
  const strongest = [
    [
      "callbacks under outages and crashes, and violations found",
      figuresOf("chaos", badDay),
      figuresOf<ChaosFigures>("chaos", (figures) => whenMeasured(withCommits(figures))),
    ],
    [
      "mistakes added to the sources that chaos detects",
      figuresOf("sabotage", noticed),
      figuresOf("sabotage", whenMeasured),
    ],
    [
      "small changes of the domain that the unit tests detect",
      figuresOf("mutation", killed),
      figuresOf("mutation", whenKilled),
    ],
  ];
  const tables = {
    chaos: figuresOf("chaos", chaosTable),
    sabotage: figuresOf("sabotage", sabotageTable),
    mutation: figuresOf("mutation", mutationTable),
    load: figuresOf("load", loadTable),
    memory: figuresOf("memory", memoryTable),
  };
  const filled = (path: string, made: Record<string, string>) =>
    [path, fillTables(readFileSync(join(root, path), "utf8"), made)] as const;
  return new Map([
    filled("docs/proof.md", tables),
    filled("README.md", { proof: table(["", "the last run", "measured"], strongest) }),
  ]);
}

function figuresOf<Figures>(name: string, textOf: (figures: Figures & Measured) => string): string {
  const figures = readFigures<Figures>(join(root, `docs/proof/${name}.json`));
  return figures === undefined ? "Not run yet." : textOf(figures);
}

/** A sentence with the result, its machine and date, then a table. */
function describeFigures(
  sentence: string,
  { date, machine, commit }: Measured,
  ...rows: readonly (readonly string[])[]
): string {
  const [head = [], ...rest] = rows;
  const measured = `Measured on ${date} (${machine}; ${commitText(commit)}).`;
  return `${sentence}${measured}\n\n${table(head, rest)}`;
}

function chaosTable(figures: ChaosFigures & Measured): string {
  const isCounted = countsExcuses(figures);
  const rows = countsOf(figures).map(({ rule, checked, excused, wrong, attributed }) => {
    const others = excused + attributed.length;
    const excuses = isCounted || others > 0 ? countText(others) : "not counted";
    return [rule, countText(checked), excuses, countText(wrong)];
  });
  const head = ["rule", "checked", "excused", "violations"];
  return describeFigures(`${badDay(figures)} `, withCommits(figures), head, ...rows);
}

function withCommits(figures: ChaosFigures & Measured): Measured {
  return { ...figures, commit: commitsOf(figures) };
}

function badDay(figures: ChaosFigures): string {
  const wrong = sum(countsOf(figures).map((rule) => rule.wrong));
  return `${summaryOf(figures)}: ${countText(wrong)} violations.${newRules(figures)}`;
}

/** Rules that the run did not have yet. */
function newRules(figures: ChaosFigures): string {
  const known = new Set(countsOf(figures).map(({ rule }) => rule));
  const added = ruleNames.filter((rule) => !known.has(rule));
  return added.length === 0
    ? ""
    : ` This run did not check these newer rules: ${added.join("; ")}.`;
}

function whenMeasured({ date, commit }: Measured): string {
  return `${date}, ${commitText(commit)}`;
}

function commitText(commit: string): string {
  return `${commit.includes(",") ? "commits" : "commit"} ${commit}`;
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
  const head = ["mistake", "rule that must detect it", "violations", "other rules", "commit"];
  return describeFigures(`${noticed(figures)} `, figures, head, ...rows);
}

function noticed({ mistakes }: Findings): string {
  const all = readMistakes();
  const looked = all.flatMap((mistake) => {
    const finding = mistakes[mistake.name];
    return finding === undefined ? [] : [isNoticed(mistake, finding)];
  });
  const remaining = all.length - looked.length;
  const more = remaining === 0 ? "" : `; ${remaining} more were not run yet`;
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
  const tables = [isOfDomain, isAround].map((isMine) => {
    const mine = foldersIn(figures).filter(isMine);
    const [, measured] = mine.at(-1) ?? [];
    if (measured === undefined) return "Not run yet.";
    const head = [
      "folder",
      "changes",
      "detected",
      "survivors with a reason",
      "not reviewed",
      ...(isMine === isOfDomain
        ? ["not tried: runs only at load"]
        : ["run by no test", "not tried", "drawn from", "test files"]),
      "commit",
    ];
    return describeFigures(`${share(mine)} `, measured, head, ...mine.map(mutationRow));
  });
  const why = foldersIn(figures).flatMap(([folder, { reasons }]) =>
    Object.entries(reasons).map(([reason, count]) => [folder, countText(count), reason]),
  );
  return [...tables, table(["folder", "survivors", "reason"], why)].join("\n\n");
}

type FolderScore = readonly [string, MutationScore];

const isOfDomain = ([folder]: FolderScore) => folder.startsWith("shared/");
const isAround = (folder: FolderScore) => !isOfDomain(folder);

function mutationRow([folder, figures]: FolderScore): string[] {
  const { mutants, loaded, score, reasons, unread, sample, commit } = figures;
  const rest =
    sample === undefined
      ? [countText(loaded)]
      : [
          ...[sample.unreached, sample.untried, sample.of].map(countText),
          `${sample.filesRun} of ${sample.files}`,
        ];
  return [
    folder,
    countText(mutants),
    `${score} %`,
    countText(sum(Object.values(reasons))),
    countText(unread),
    ...rest,
    commit,
  ];
}

function killed(figures: MutationFigures): string {
  return share(foldersIn(figures).filter(isOfDomain));
}

function whenKilled(figures: MutationFigures): string {
  const [, measured] = foldersIn(figures).filter(isOfDomain).at(-1) ?? [];
  return measured === undefined ? "" : whenMeasured(measured);
}

function share(folders: readonly FolderScore[]): string {
  const all = folders.map(([, score]) => score);
  const mutants = sum(all.map((score) => score.mutants));
  const noticed = 1 - sum(all.map((score) => score.survivors)) / Math.max(1, mutants);
  return `${(100 * noticed).toFixed(1)} % of ${countText(mutants)}.`;
}

/** Only the rates that neither is saturated by: beyond them a time says how long the run was. */
/** A row for each call, and a column for each size. */
function memoryTable(figures: MemoryFigures & Measured): string {
  const { awsMilliseconds, serviceMilliseconds, rows } = figures;
  const sentence = `A call to AWS takes ${awsMilliseconds} ms here and one to the payment service ${serviceMilliseconds} ms. `;
  const sizes = [...new Set(rows.map(({ megabytes }) => megabytes))];
  const cell = (name: string, size: number) => {
    const row = rows.find(({ name: other, megabytes }) => other === name && megabytes === size);
    if (row === undefined) return "";
    return `${row.cold} / ${row.warm} / ${dollarsOfMillion(row).toFixed(2)}`;
  };
  const lines = [...new Set(rows.map(({ name }) => name))].map((name) => [
    name,
    ...sizes.map((size) => cell(name, size)),
  ]);
  const head = ["call", ...sizes.map((size) => `${size} MB`)];
  return describeFigures(sentence, figures, head, ...lines);
}

function loadTable(figures: LoadFigures & Measured): string {
  const { ratios, stack, bare } = figures;
  const rows = stack.flatMap((step) => {
    const other = bare.find(({ rate }) => rate === step.rate);
    if (other === undefined || isSaturated(step) || isSaturated(other)) return [];
    const times = (["acknowledged", "queued"] as const).map((name) =>
      (step[name].p50 / other[name].p50).toFixed(2),
    );
    return [[String(step.rate), ...times]];
  });
  const head = ["callbacks per second", "until acknowledged", "until the event is in the queue"];
  const most = `The stack reaches ${ratios.throughput.toFixed(2)} of the callbacks per second that the calls alone reach. The table has the ratios of median times. `;
  return describeFigures(most, figures, head, ...rows);
}

function countText(count: number): string {
  return count.toLocaleString("en-US");
}
