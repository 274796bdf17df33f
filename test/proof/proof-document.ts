import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fillTables, table } from "../../infra/contract/markdown-table.ts";
import type { Round } from "./chaos/round.ts";
import { type Measured, root } from "./measured.ts";
import type { MutationScore } from "./mutate/accepted.ts";
import { type Findings, readMistakes } from "./sabotage/mistakes.ts";

interface Figures {
  readonly chaos: { readonly rounds: readonly Round[] };
  readonly sabotage: Findings;
  readonly mutation: Readonly<Record<string, MutationScore>>;
  readonly load: { readonly ratios: Readonly<Record<LoadRatio, number>> };
}

type LoadRatio = "throughput" | "acknowledged" | "queued";

const notYet = "Not run yet.";

/** The documents that tell figures, as the figures of the last runs make them. People write the text around them. */
export function proofDocuments(): Map<string, string> {
  const [chaos, sabotage, mutation, load] = [
    figuresOf("chaos", chaosTable),
    figuresOf("sabotage", sabotageTable),
    figuresOf("mutation", mutationTable),
    figuresOf("load", loadTable),
  ];
  const strongest = [
    ["callbacks on a bad day, and what was wrong after it", figuresOf("chaos", badDay)],
    ["mistakes put into the sources, and noticed from outside", figuresOf("sabotage", noticed)],
    ["small changes of the domain that the unit tests notice", figuresOf("mutation", killed)],
  ];
  const filled = (path: string, tables: Record<string, string>) =>
    [path, fillTables(readFileSync(join(root, path), "utf8"), tables)] as const;
  return new Map([
    filled("docs/proof.md", { chaos, sabotage, mutation, load }),
    filled("README.md", { proof: table(["", "the last run"], strongest) }),
  ]);
}

function figuresOf<Name extends keyof Figures>(
  name: Name,
  textOf: (figures: Figures[Name] & Measured) => string,
): string {
  const file = join(root, `docs/proof/${name}.json`);
  return existsSync(file) ? textOf(JSON.parse(readFileSync(file, "utf8"))) : notYet;
}

function whereAndWhen({ date, machine, commit }: Measured): string {
  return `Measured on ${date} (${machine}; commit ${commit}).`;
}

function chaosTable(figures: Figures["chaos"] & Measured): string {
  const rows = countsOf(figures).map(({ rule, checked, wrong }) => [
    rule,
    countText(checked),
    countText(wrong),
  ]);
  return [
    `${badDay(figures)} ${whereAndWhen(figures)}`,
    "",
    table(["count", "looked at", "wrong"], rows),
  ].join("\n");
}

function badDay({ rounds }: Figures["chaos"]): string {
  const total = (name: "orders" | "callbacks" | "events" | "disturbances") =>
    countText(sum(rounds.map((round) => round[name])));
  const wrong = sum(countsOf({ rounds }).map((one) => one.wrong));
  return `${total("callbacks")} callbacks of ${total("orders")} orders, ${total("events")} events received, ${total("disturbances")} disturbances: ${countText(wrong)} wrong.`;
}

function countsOf({ rounds }: Figures["chaos"]) {
  const rules = rounds[0]?.results.map(({ rule }) => rule) ?? [];
  return rules.map((rule) => {
    const mine = rounds.flatMap(({ results }) => results.filter((one) => one.rule === rule));
    const checked = sum(mine.map((one) => one.checked));
    return { rule, checked, wrong: sum(mine.map(({ violations }) => violations.length)) };
  });
}

function sabotageTable(figures: Figures["sabotage"] & Measured): string {
  const rows = readMistakes().flatMap(({ name, rule }) => {
    const finding = figures.mistakes[name];
    if (finding === undefined) return [];
    const { [rule]: count = 0, ...others } = finding.noticedBy;
    const told = Object.entries(others).map(([other, times]) => `${other} (${times})`);
    return [[name, finding.doesNotSettle ?? rule, String(count), told.join(", ")]];
  });
  const head = ["mistake", "the rule that is there for it", "times", "other rules that noticed it"];
  return [`${noticed(figures)} ${whereAndWhen(figures)}`, "", table(head, rows)].join("\n");
}

/** Only a mistake that was noticed is kept in the figures. */
function noticed({ mistakes }: Figures["sabotage"]): string {
  const all = readMistakes();
  const looked = all.filter(({ name }) => mistakes[name] !== undefined).length;
  const left = all.length - looked;
  return `${looked} of ${looked}${left === 0 ? "" : `; ${left} more were not looked for yet`}.`;
}

function mutationTable({ date: _, commit: __, machine: ___, ...folders }: Figures["mutation"]) {
  const all = Object.entries(folders);
  const rows = all.map(([folder, { mutants, score, reasons, unread, commit }]) => [
    `shared/${folder}`,
    countText(mutants),
    `${score} %`,
    countText(sum(Object.values(reasons))),
    countText(unread),
    commit,
  ]);
  const why = all.flatMap(([folder, { reasons }]) =>
    Object.entries(reasons).map(([reason, count]) => [folder, countText(count), reason]),
  );
  const last = all.at(-1)?.[1];
  const head = ["folder", "changes", "noticed", "survivors with a reason", "not read yet"];
  return [
    `${killed(folders)} ${last === undefined ? "" : whereAndWhen(last)}`,
    "",
    table([...head, "commit"], rows),
    "",
    table(["folder", "survivors", "why they do not matter"], why),
  ].join("\n");
}

function killed(folders: Figures["mutation"]): string {
  const all = Object.values(folders).filter((one) => typeof one === "object");
  const [mutants, survivors] = [all.map((one) => one.mutants), all.map((one) => one.survivors)];
  const share = 1 - sum(survivors) / Math.max(1, sum(mutants));
  return `${(100 * share).toFixed(1)} % of ${countText(sum(mutants))}.`;
}

const loadRows: readonly (readonly [LoadRatio, string])[] = [
  ["throughput", "callbacks a second, at most"],
  ["acknowledged", "time until the acknowledgement, at a low rate (median)"],
  ["queued", "time until the event is in the team's queue, at a low rate (median)"],
];

function loadTable(figures: Figures["load"] & Measured): string {
  const rows = loadRows.map(([name, what]) => [what, figures.ratios[name].toFixed(2)]);
  return [
    whereAndWhen(figures),
    "",
    table(["the stack", "divided by the same AWS calls alone"], rows),
  ].join("\n");
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

function countText(count: number): string {
  return count.toLocaleString("en-US");
}
