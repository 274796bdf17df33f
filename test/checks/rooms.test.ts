import { describe, expect, test } from "vitest";
import {
  arrowsOf,
  circles,
  forbiddenImports,
  projectArrows,
  readmeFaults,
} from "./find-imports.ts";
import { roomRules } from "./import-rules.ts";

test("every file imports only what the table of import rules allows", () => {
  const arrows = projectArrows();
  expect(arrows.length).toBeGreaterThan(3000);
  expect(forbiddenImports(arrows)).toEqual([]);
});

test("the READMEs say of imports what the table says", () => {
  expect(readmeFaults()).toEqual([]);
});

test("a README that says otherwise is named", () => {
  const empty = readmeFaults(() => "");
  expect(empty).toContain(
    "shared/README.md must say of facts that it may import: envelope, money, time.",
  );
  expect(empty).toContainEqual(expect.stringMatching(/^infra\/README.md must have a table/));
  expect(empty).toContain("tools/operations/README.md must say what queues holds.");
  const gone = readmeFaults(() => "| [sweeping](sweeping) | |");
  expect(gone).toContain("tools/operations/README.md has sweeping, which is no folder.");
});

describe("an import is refused, with the reason", () => {
  test.each([
    [
      "from the domain to a function",
      "shared/money/a.ts",
      "functions/b.ts",
      "argument of the flow",
    ],
    [
      "from a function to operations",
      "functions/a.ts",
      "tools/operations/b.ts",
      "may import shared.",
    ],
    ["of a test", "tools/console/a.ts", "test/b.ts", "may import shared, tools/operations."],
    [
      "from the simulator to the product",
      "tools/simulator/http/a.ts",
      "shared/b.ts",
      "Write it anew",
    ],
    ["from the checker to the product", "test/proof/chaos/check/a.ts", "shared/b.ts", "disagree"],
    ["from infra to the console", "infra/api/a.ts", "tools/console/b.ts", "may import shared."],
    [
      "between two rooms of one floor",
      "shared/events/a.ts",
      "shared/asking/b.ts",
      "may import facts",
    ],
    ["from the ground to a room", "shared/a.ts", "shared/money/b.ts", "may import nothing"],
    ["out of the consumers' package", "shared/consumer/a.ts", "shared/b.ts", "may import nothing"],
    ["to a later room", "infra/config/a.ts", "infra/api/b.ts", "may import nothing"],
    ["from a room without a rule", "infra/new/a.ts", "infra/api/b.ts", "does not know infra/new"],
  ])("%s", (_what, from, to, reason) => {
    expect(forbiddenImports([{ from, to }])).toEqual([
      expect.stringContaining(`${from} imports ${to}. `),
    ]);
    expect(forbiddenImports([{ from, to }])[0]).toContain(reason);
  });
});

test("only the packing may import the console to build its page", () => {
  const to = "tools/console/server/page-files.ts";
  expect(forbiddenImports([{ from: "tools/contract/packages/a.ts", to }])).toEqual([]);
});

test("imports are found in every form", () => {
  const text = [
    'import { a } from "./a.ts";',
    'import type { B } from "../b.ts";',
    'export { c } from "./c.ts";',
    'const d = await import("./d.ts");',
    'import "./e.ts";',
    'import { f } from "node:fs";',
  ].join("\n");
  const found = arrowsOf("shared/money/own.ts", text).map(({ to }) => to);
  const beside = ["a", "c", "d", "e"].map((name) => `shared/money/${name}.ts`);
  expect(new Set(found)).toEqual(new Set([...beside, "shared/b.ts"]));
});

test.each(Object.entries(roomRules))(
  "no two rooms of %s may import each other",
  (_folder, rooms) => {
    const reach = (room: string, seen: readonly string[]): void => {
      if (seen.includes(room)) throw new Error([...seen, room].join(" -> "));
      for (const next of rooms[room] ?? []) reach(next, [...seen, room]);
    };
    for (const room of Object.keys(rooms)) reach(room, []);
  },
);

describe("files that import each other", () => {
  const arrow = (from: string, to: string) => ({ from, to });

  test("are found, also by way of a third one and after files that lead to them", () => {
    const around = [arrow("a", "b"), arrow("b", "c"), arrow("c", "d"), arrow("d", "b")];
    expect(circles(around)).toEqual([expect.stringMatching(/^b -> c -> d -> b is a circle/)]);
  });

  test("are not those that meet in one file below", () => {
    expect(circles([arrow("a", "b"), arrow("a", "c"), arrow("b", "d"), arrow("c", "d")])).toEqual(
      [],
    );
  });

  test("do not exist in this repository", () => {
    expect(circles(projectArrows())).toEqual([]);
  });
});
