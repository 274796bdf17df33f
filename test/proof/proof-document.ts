import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fillTables, table } from "../../infra/contract/markdown-table.ts";
import type { Round } from "./chaos/round.ts";
import { type Measured, readFigures, root } from "./measured.ts";

/** docs/proof.md with the figures of the last runs. People write the text around them. */
export function proofDocument(): string {
  const text = readFileSync(join(root, "docs/proof.md"), "utf8");
  const chaos = readFigures<{ rounds: readonly Round[] }>(join(root, "docs/proof/chaos.json"));
  return fillTables(text, { chaos: chaosTable(chaos) });
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

function whereAndWhen({ date, machine, commit }: Measured): string {
  return `Measured on ${date} (${machine}; commit ${commit}).`;
}
