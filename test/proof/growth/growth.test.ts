import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readFigures, root } from "../measured.ts";
import { countThings, faultsOf, growthTable, type Round } from "./count.ts";
import { things } from "./things.ts";

test("nothing costs more when four times as much is stored, and a search that finds nothing takes few calls", async () => {
  // Things with a limit are far below it with so little data, and slow. The long run covers them.
  const unlimited = things.filter(({ growth }) => typeof growth === "string");
  const search = things.filter(({ what }) => what.endsWith("find?text=nowhere"));
  const rounds = await countThings([250, 1_000], [...unlimited, ...search]);
  expect(faultsOf(rounds)).toEqual([]);
  for (const { counted } of rounds) {
    // Eight shards of 48 hours, and the records by the hundred.
    expect(counted.at(-1)?.calls).toBeLessThan(8 * 48 + 100);
  }
});

test("nothing grew in the last long run, and docs/scale.md has its table", () => {
  const figures = readFigures<{ rounds: readonly Round[] }>(join(root, "docs/proof/growth.json"));
  const rounds = figures?.rounds ?? [];
  expect(rounds.length).toBeGreaterThan(1);
  expect(faultsOf(rounds)).toEqual([]);
  const document = readFileSync(join(root, "docs/scale.md"), "utf8");
  expect(document).toContain(`\n${growthTable(rounds)}\n`);
});
