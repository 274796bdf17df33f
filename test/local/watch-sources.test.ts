import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { watchSources } from "../../local/watch-sources.ts";

let folder: string;
let lines: string[];
let built: number;
let watching: { stop(): void } | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "paycast-sources-"));
  mkdirSync(join(folder, "orders"));
  lines = [];
  built = 0;
});
afterEach(() => {
  watching?.stop();
  rmSync(folder, { recursive: true });
});

const change = (text: string) => writeFileSync(join(folder, "orders", "order.ts"), text);

test("a change deep in a watched folder builds again, several changes at once only once", async () => {
  watching = watchSources(
    [folder],
    async () => (built += 1),
    (line) => lines.push(line),
  );
  for (const text of ["1", "2", "3"]) change(text);
  await expect.poll(() => built).toBe(1);
  change("4");
  await expect.poll(() => built).toBe(2);
  expect(lines).toEqual([]);
});

test("a build that fails is reported, and the next change builds again", async () => {
  const build = async () => {
    built += 1;
    if (built === 1) throw new Error("order.ts has a fault");
  };
  watching = watchSources([folder], build, (line) => lines.push(line));
  change("faulty");
  await expect.poll(() => lines).toEqual(["The build failed: order.ts has a fault"]);
  change("fixed");
  await expect.poll(() => built).toBe(2);
  expect(lines).toHaveLength(1);
});
