import { renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { bundle } from "../../infra/lambda/bundle.ts";
import { reloadOnChange } from "../../local/stack/functions/run-function.ts";
import { buildChanged, watchSources } from "../../local/watch-sources.ts";
import { temporaryFolder } from "../setup/temporary-folder.ts";
import { result, useFunction } from "./stack/function-fixture.ts";

/** A machine may be busy. */
const patient = { timeout: 20_000 };

let folder: string;
let sources: string;
let lines: string[];
const fixture = useFunction();

beforeEach(() => {
  folder = temporaryFolder("build");
  sources = temporaryFolder("sources");
  lines = [];
});

const build = async (name: string) => [await bundle(name, join(sources, `${name}.ts`), folder)];

/** As many editors save. */
function save(name: string, text: string): void {
  const file = join(sources, `${name}.ts`);
  writeFileSync(`${file}~`, text);
  renameSync(`${file}~`, file);
}

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
    new RegExp(`^\\S*${basename(sources)}/text\\.ts:2:7 Expected ";"[^\\n]*$`),
  );
});

test("a save reloads the running function, and after a failed build the old code answers", async () => {
  save("text", 'export const text = "first";');
  save("one", answering(""));
  await buildChanged(["one"], build);
  const running = fixture.runIn(join(folder, "one"));
  const stopReloading = reloadOnChange(running, () => undefined);
  expect(await result(running)).toBe("first");
  const watching = watchSources(
    [sources],
    () => buildChanged(["one"], build),
    (line) => lines.push(line),
  );
  onTestFinished(() => {
    watching.stop();
    stopReloading();
  });
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
