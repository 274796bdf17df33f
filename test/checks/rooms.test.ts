import { describe, expect, test } from "vitest";
import { arrowsOf, circles, forbiddenImports, readmeFaults } from "./find-imports.ts";
import { roomRules } from "./import-rules.ts";

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
    ["to another folder", "functions/a.ts", "tools/operations/b.ts", "may import shared."],
    ["of a test", "tools/console/a.ts", "test/b.ts", "may import shared, tools/operations."],
    ["in a folder that has a rule", "test/proof/chaos/check/a.ts", "shared/b.ts", "disagree"],
    [
      "between two rooms of one floor",
      "shared/events/a.ts",
      "shared/asking/b.ts",
      "may import facts",
    ],
    ["from the ground to a room", "shared/a.ts", "shared/money/b.ts", "may import the ground"],
    [
      "from an operation to an adapter",
      "tools/operations/keys/a.ts",
      "tools/operations/aws/b.ts",
      "the port, not the adapter",
    ],
    [
      "from an adapter to an operation",
      "tools/operations/local-stack/a.ts",
      "tools/operations/keys/b.ts",
      "may import ports and aws",
    ],
    [
      "from a port to an operation",
      "tools/operations/ports/a.ts",
      "tools/operations/keys/b.ts",
      "may import nothing of tools/operations",
    ],
    ["to a later room", "infra/config/a.ts", "infra/api/b.ts", "may import nothing"],
    ["from a room without a rule", "infra/new/a.ts", "infra/api/b.ts", "does not know infra/new"],
  ])("%s", (_what, from, to, reason) => {
    expect(forbiddenImports([{ from, to }])).toEqual([
      expect.stringContaining(`${from} imports ${to}. `),
    ]);
    expect(forbiddenImports([{ from, to }])[0]).toContain(reason);
  });
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
});
