import { readdirSync, readFileSync, statSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as z from "zod";

/** What a folder's README says that it may import, and what the linter forbids it, must be two halves of one whole. */
const folders = readdirSync("shared").filter((name) => statSync(`shared/${name}`).isDirectory());

const configSchema = z.object({
  overrides: z.array(
    z.object({
      includes: z.array(z.string()),
      linter: z.object({
        rules: z.object({
          style: z.object({
            noRestrictedImports: z
              .object({
                options: z.object({ patterns: z.array(z.object({ group: z.array(z.string()) })) }),
              })
              .optional(),
          }),
        }),
      }),
    }),
  ),
});

const { overrides } = configSchema.parse(JSON.parse(readFileSync("biome.json", "utf8")));

function forbidden(folder: string): string[] {
  const own = overrides.find(({ includes }) => includes.includes(`shared/${folder}/**`));
  const patterns = own?.linter.rules.style.noRestrictedImports?.options.patterns ?? [];
  const groups = patterns.flatMap(({ group }) => group);
  return groups.flatMap((group) => /^\.\.\/([a-z]+)\/\*\*$/.exec(group)?.[1] ?? []);
}

function allowed(folder: string): string[] {
  const [, list = ""] =
    /May import: (.*)\./.exec(readFileSync(`shared/${folder}/README.md`, "utf8")) ?? [];
  return list.startsWith("nothing") ? [] : list.split(", ");
}

describe.each(folders)("shared/%s", (folder) => {
  test("may import what its README says, and the linter forbids it the rest", () => {
    const others = folders.filter((name) => name !== folder).sort();
    expect([...allowed(folder), ...forbidden(folder)].sort()).toEqual(others);
  });

  test("stands in the table of shared/README.md", () => {
    expect(readFileSync("shared/README.md", "utf8")).toContain(`| [${folder}](${folder}) |`);
  });
});

test("no two folders may import each other, not even by way of others", () => {
  const reach = (folder: string, seen: ReadonlySet<string>): void => {
    if (seen.has(folder)) throw new Error(`${[...seen].join(" -> ")} -> ${folder}`);
    for (const next of allowed(folder)) reach(next, new Set([...seen, folder]));
  };
  for (const folder of folders) reach(folder, new Set());
});
