import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { bundle } from "../../../infra/lambda/bundle.ts";
import { reloadOnChange } from "../../../tools/local/stack/functions/run-function.ts";
import { buildChanged, watchSources } from "../../../tools/local/watch-sources.ts";
import { temporaryFolder } from "../../setup/temporary-folder.ts";
import { result, useFunction } from "./stack/function-fixture.ts";

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
function saveByRenaming(text: string, file = orderFile()): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
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
  expect(lines).toEqual(["rebuilt: fn", "rebuilt: fn"]);
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

test("a build that fails is reported, also that it works again, and later changes build again", async () => {
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
      "the build failed, the old code is still running:\norder.ts:1:1 is faulty",
      "the build works again, nothing changed",
      "rebuilt: fn",
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

describe("bundles", () => {
  const fixture = useFunction();
  let bundles: string;
  beforeEach(() => {
    bundles = temporaryFolder("build");
  });
  const build = async (name: string) => [await bundle(name, join(folder, `${name}.ts`), bundles)];
  const save = (name: string, text: string) => saveByRenaming(text, join(folder, `${name}.ts`));

  const answering = (text: string) =>
    `import { text } from "./text.ts";\nexport const handler = async () => text + "${text}";\n`;

  test("only what changed is built, and an error names file, line and column once", async () => {
    save("text", 'export const text = "a";');
    save("one", answering("1"));
    save("two", answering("2"));
    expect(await buildChanged(["one", "two"], build)).toEqual(["one", "two"]);
    save("two", answering("3"));
    expect(await buildChanged(["one", "two"], build)).toEqual(["two"]);
    expect(await buildChanged(["one", "two"], build)).toEqual([]);
    save("text", 'export const text =\n  "a" "b";');
    const message = await buildChanged(["one", "two"], build).catch(({ message }) => message);
    expect(message).toMatch(
      new RegExp(`^\\S*${basename(folder)}/text\\.ts:2:7 Expected ";"[^\\n]*$`),
    );
  });

  test("a save reloads the running function, and after a failed build the old code answers", async () => {
    save("text", 'export const text = "first";');
    save("one", answering(""));
    await buildChanged(["one"], build);
    const running = fixture.runIn(join(bundles, "one"));
    const stopReloading = reloadOnChange(running, () => undefined);
    expect(await result(running)).toBe("first");
    onTestFinished(stopReloading);
    start(() => buildChanged(["one"], build));
    save("text", 'export const text = "second";');
    await expect.poll(() => result(running), patient).toBe("second");
    save("text", "export const text = ;");
    await expect
      .poll(() => lines.at(-1), patient)
      .toMatch(/^the build failed.*\n.*text\.ts:1:21 Unexpected ";"$/);
    expect(await result(running)).toBe("second");
    save("text", 'export const text = "third";');
    await expect.poll(() => result(running), patient).toBe("third");
  });
});
