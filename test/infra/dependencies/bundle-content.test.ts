import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { bundle } from "../../../infra/lambda/bundle.ts";
import { root } from "../../../infra/packages/construct/package-files.ts";

mkdirSync(join(root, ".build"), { recursive: true });
const folder = mkdtempSync(join(root, ".build", "content-"));
afterAll(() => rmSync(folder, { recursive: true }));

const source = (name: string, text: string) => writeFileSync(join(folder, name), text);

test("a bundle's content is what it holds, without files that it imports but does not use, built or not", async () => {
  source("used.ts", "export const used = () => 'used';\n");
  source("unused.ts", "export const unused = () => 'unused';\n");
  source("barrel.ts", 'export * from "./used.ts";\n');
  source("types.ts", "export type Only = string;\n");
  source(
    "entry.ts",
    `import { used } from "./barrel.ts";
     import { unused } from "./unused.ts";
     export * from "./types.ts";
     export const handler = () => used();
     const never = () => unused();\n`,
  );
  for (const unchanged of [false, true]) {
    const built = await bundle("entry", join(folder, "entry.ts"), join(folder, "out"));
    expect(built.unchanged).toBe(unchanged);
    expect(built.content.map((file) => basename(file))).toEqual(["entry.ts", "used.ts"]);
  }
});
