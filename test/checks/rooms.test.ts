import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { expect, test } from "vitest";

/** Each house with its rooms. A room may import from the rooms that stand before it, and from nothing after it. */
const houses = {
  simulator: [
    ...["wire", "merchants", "orders", "http", "faults", "callbacks", "service"],
    ...["gateway", "control", "pages"],
  ],
  "local/stack": ["template", "stores", "functions", "http", "triggers"],
};

interface Arrow {
  readonly from: string;
  readonly to: string;
}

function arrowsOf(folder: string): Arrow[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => {
      const path = join(folder, file);
      const imports = readFileSync(path, "utf8").matchAll(/\b(?:from|import)[\s(]*"(\.[^"]+)"/g);
      return [...imports].map(([, to = ""]) => ({ from: path, to: join(dirname(path), to) }));
    });
}

/** The room's number. Files at the top of the house may import from every room. */
function floorOf(house: string, rooms: readonly string[], path: string): number {
  const parts = relative(house, path).split(sep);
  if (parts.length === 1) return rooms.length;
  const floor = rooms.indexOf(parts[0] ?? "");
  if (floor === -1) throw new Error(`${path} is in a room that this test does not know.`);
  return floor;
}

test.each(Object.entries(houses))("%s: rooms import in one direction only", (house, rooms) => {
  const inside = arrowsOf(house).filter(({ to }) => !relative(house, to).startsWith(".."));
  expect(inside.length).toBeGreaterThan(50);
  const upward = inside.filter(
    ({ from, to }) => floorOf(house, rooms, from) < floorOf(house, rooms, to),
  );
  expect(upward).toEqual([]);
});

test("the simulator imports nothing of the product", () => {
  const outside = arrowsOf("simulator").filter(({ to }) => !to.startsWith(`simulator${sep}`));
  expect(outside).toEqual([]);
});
