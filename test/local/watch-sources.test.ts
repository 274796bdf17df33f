import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { watchSources } from "../../local/watch-sources.ts";
import { temporaryFolder } from "../setup/temporary-folder.ts";

/** A machine may be busy. */
const patient = { timeout: 20_000 };

let folder: string;
let lines: string[];
let built: number;
let watching: { stop(): void } | undefined;

beforeEach(() => {
  folder = temporaryFolder("sources");
  mkdirSync(join(folder, "orders"));
  change("0");
  lines = [];
  built = 0;
});
afterEach(() => watching?.stop());

const orderFile = () => join(folder, "orders", "order.ts");
const change = (text: string) => writeFileSync(orderFile(), text);

/** As many editors save: the new text goes to another file, which then takes the place of the old one. */
function saveByRenaming(text: string): void {
  writeFileSync(`${orderFile()}.new`, text);
  renameSync(`${orderFile()}.new`, orderFile());
}

function start(build: () => Promise<readonly string[]>): void {
  watching = watchSources([folder], build, (line) => lines.push(line));
}

const countBuild = async () => {
  built += 1;
  return ["fn"];
};

test("a change deep in a watched folder builds again, several changes at once only once", async () => {
  start(countBuild);
  for (const text of ["1", "2", "3"]) change(text);
  await expect.poll(() => built, patient).toBe(1);
  change("4");
  await expect.poll(() => built, patient).toBe(2);
  expect(lines).toEqual(["built again: fn", "built again: fn"]);
});

test("every save by renaming builds again, not only the first", async () => {
  start(countBuild);
  for (const count of [1, 2, 3]) {
    saveByRenaming(`${count}`);
    await expect.poll(() => built, patient).toBe(count);
  }
});

test("a new file in a new folder builds again, and so do its later saves", async () => {
  start(countBuild);
  const deep = join(folder, "refunds", "partial");
  mkdirSync(deep, { recursive: true });
  await expect.poll(() => built, patient).toBe(1);
  writeFileSync(join(deep, "refund.ts"), "1");
  await expect.poll(() => built, patient).toBe(2);
  writeFileSync(join(deep, "refund.ts"), "2");
  await expect.poll(() => built, patient).toBe(3);
});

test("a folder that is deleted and made again is watched again", async () => {
  start(countBuild);
  rmSync(join(folder, "orders"), { recursive: true });
  mkdirSync(join(folder, "orders"));
  await expect.poll(() => built, patient).toBe(1);
  change("1");
  await expect.poll(() => built, patient).toBe(2);
});

test("a build that fails is told, also that it works again, and later changes build again", async () => {
  const ends = [
    () => Promise.reject(new Error("order.ts:1:1 is faulty")),
    () => Promise.resolve([]),
    () => Promise.resolve([]),
    () => Promise.resolve(["fn"]),
  ];
  start(async () => (await ends[built++]?.()) ?? []);
  for (const count of [1, 2, 3, 4]) {
    change(`${count}`);
    await expect.poll(() => built, patient).toBe(count);
  }
  await expect
    .poll(() => lines, patient)
    .toEqual([
      "the build failed, the old code goes on running:\norder.ts:1:1 is faulty",
      "the build works again, nothing has changed",
      "built again: fn",
    ]);
});

test("a change during a build is built after it, never at the same time", async () => {
  let atOnce = 0;
  let most = 0;
  start(async () => {
    built += 1;
    atOnce += 1;
    most = Math.max(most, atOnce);
    await wait(400);
    atOnce -= 1;
    return [];
  });
  change("1");
  await expect.poll(() => built, patient).toBe(1);
  change("2");
  await expect.poll(() => built, patient).toBe(2);
  expect(most).toBe(1);
});
