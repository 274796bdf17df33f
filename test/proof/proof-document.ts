import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fillTables, table } from "../../infra/contract/markdown-table.ts";
import type { Round } from "./chaos/round.ts";
import { type Measured, readFigures, root } from "./measured.ts";
import { type Findings, readMistakes } from "./sabotage/mistakes.ts";

/** docs/proof.md with the figures of the last runs. People write the text around them. */
export function proofDocument(): string {
  const text = readFileSync(join(root, "docs/proof.md"), "utf8");
  const chaos = readFigures<{ rounds: readonly Round[] }>(join(root, "docs/proof/chaos.json"));
  const sabotage = readFigures<Findings>(join(root, "docs/proof/sabotage.json"));
  return fillTables(text, { chaos: chaosTable(chaos), sabotage: sabotageTable(sabotage) });
}

const notYet = "Not run yet.";

function chaosTable(figures: (Measured & { rounds: readonly Round[] }) | undefined): string {
  if (figures === undefined) return notYet;
  const { rounds } = figures;
  const total = (count: (round: Round) => number) =>
    rounds.reduce((sum, round) => sum + count(round), 0).toLocaleString("en");
  const rules = rounds[0]?.results.map(({ rule }) => rule) ?? [];
  const rows = rules.map((rule) => {
    const mine = (round: Round) => round.results.filter((one) => one.rule === rule);
    const found = total((round) => mine(round).flatMap(({ violations }) => violations).length);
    const checked = total((round) => mine(round).reduce((sum, one) => sum + one.checked, 0));
    return [rule, checked, found];
  });
  return [
    `${rounds.length} rounds, ${total(({ orders }) => orders)} orders, ${total(({ callbacks }) => callbacks)} callbacks, ${total(({ events }) => events)} events received, ${total(({ disturbances }) => disturbances)} disturbances. ${whereAndWhen(figures)}`,
    "",
    table(["count", "looked at", "wrong"], rows),
  ].join("\n");
}

function sabotageTable(figures: (Measured & Findings) | undefined): string {
  if (figures === undefined) return notYet;
  const all = readMistakes();
  const rows = all.flatMap(({ name, rule }) => {
    const finding = figures.mistakes[name];
    if (finding === undefined) return [];
    const { [rule]: count = 0, ...others } = finding.noticedBy;
    const told = Object.entries(others).map(([other, times]) => `${other} (${times})`);
    return [[name, finding.doesNotSettle ?? rule, String(count), told.join(", ")]];
  });
  return [
    `${rows.length} of ${all.length} mistakes were looked for, and each was noticed. ${whereAndWhen(figures)}`,
    "",
    table(
      ["mistake", "the rule that is there for it", "times", "other rules that noticed it"],
      rows,
    ),
  ].join("\n");
}

function whereAndWhen({ date, machine, commit }: Measured): string {
  return `Measured on ${date} (${machine}; commit ${commit}).`;
}
