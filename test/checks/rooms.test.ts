import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { expect, test } from "vitest";

/**
 * Folders with rooms, in order. A room may import from the rooms before it and from none after it. "." are the files at
 * the top of the folder; where it is not named, they come last.
 */
const roomsOf = {
  simulator: [
    ...["wire", "merchants", "orders", "http", "faults", "callbacks", "service"],
    ...["keeping", "gateway", "control", "pages"],
  ],
  "local/stack": ["template", "stores", "functions", "http", "triggers"],
  infra: [
    ...["config", "alarms", "lambda", "encryption", "storage", "api", "flows", "dashboard"],
    ...["consuming", ".", "openapi", "schemas", "packages", "dependencies"],
  ],
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

/** The room's number. */
function floorOf(folder: string, rooms: readonly string[], path: string): number {
  const parts = relative(folder, path).split(sep);
  const atTop = parts.length === 1;
  if (atTop && !rooms.includes(".")) return rooms.length;
  const floor = rooms.indexOf(atTop ? "." : (parts[0] ?? ""));
  if (floor === -1) throw new Error(`${path} is in a room that this test does not know.`);
  return floor;
}

test.each(Object.entries(roomsOf))("%s: rooms import in one direction only", (folder, rooms) => {
  const inside = arrowsOf(folder).filter(({ to }) => !relative(folder, to).startsWith(".."));
  expect(inside.length).toBeGreaterThan(50);
  const upward = inside.filter(
    ({ from, to }) => floorOf(folder, rooms, from) < floorOf(folder, rooms, to),
  );
  expect(upward).toEqual([]);
});

test("the simulator imports nothing of the product", () => {
  const outside = arrowsOf("simulator").filter(({ to }) => !to.startsWith(`simulator${sep}`));
  expect(outside).toEqual([]);
});
