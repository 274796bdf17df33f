import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { parseConfig } from "../../infra/config/config-schema.ts";
import { testEvent } from "../../shared/consumer/test-events.ts";
import { guideFlags } from "../examples/guide-flags.ts";

const guide = readFileSync("docs/subscribing.md", "utf8");

/** Each block of code, with the text before it. */
function blocksOf(text: string) {
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map((found) => ({
    language: found[1]!,
    code: found[2]!,
    before: text.slice(0, found.index),
  }));
}

/** A block may show the inside of a function, so indentation does not count. */
const flat = (code: string) => code.replaceAll(/^ +/gm, "").trim();

const programs = blocksOf(guide).filter(({ language }) => /^(ts|js|python)$/.test(language));

describe("the guide for subscribers", () => {
  test("has blocks of code in all three languages", () => {
    expect(new Set(programs.map(({ language }) => language))).toEqual(
      new Set(["ts", "js", "python"]),
    );
  });

  test.each(programs)(
    "shows code of the example that it names before: $code",
    ({ code, before }) => {
      const [, file = ""] = [...before.matchAll(/\]\(\.\.\/(examples\/[\w/.-]+)\)/g)]
        .reverse()
        .find(([, path]) => !path?.endsWith(".md"))!;
      expect(flat(readFileSync(file, "utf8"))).toContain(flat(code));
    },
  );

  test("asks for a subscriber that the config accepts", () => {
    const sample = blocksOf(guide).find(({ language }) => language === "json")!;
    const subscribers = [JSON.parse(sample.code)];
    expect(parseConfig({ merchants: ["shop-1"], subscribers }).subscribers).toMatchObject(
      subscribers,
    );
  });

  test("and its Lambda does it: what a person must look at is a question, all else is shipped", async () => {
    // The compiler does not know the example's packages, which are installed only in a copy of it.
    const { decideWork } = await import(resolve("examples/lambda-consumer/decide-work.ts"));
    const kindOf = (flag: string) =>
      decideWork(testEvent("payment.order.success", { flags: [flag] }))?.kind;
    expect(guideFlags.stopping).toContain("unknownOrder");
    for (const flag of guideFlags.stopping)
      expect([flag, kindOf(flag)]).toEqual([flag, "question"]);
    for (const flag of guideFlags.others) expect([flag, kindOf(flag)]).toEqual([flag, "shipment"]);
  });
});

test.each(["docs/packages/paycast-events.md", "examples/cdk-app/ship-order/index.mjs"])(
  "%s asks a person about the same flags as the guide",
  (file) => {
    const [, list = ""] = /questionFlags = \[([^\]]*)\]/.exec(readFileSync(file, "utf8")) ?? [];
    const flags = [...list.matchAll(/"(\w+)"/g)].map(([, flag]) => flag);
    expect(flags.sort()).toEqual([...guideFlags.stopping].sort());
  },
);

const examples = readdirSync("examples", { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

test("the list of examples is complete", () => {
  const list = readFileSync("examples/README.md", "utf8");
  for (const name of examples) expect(list).toContain(`[${name}](${name}/README.md)`);
});

/** Otherwise the linter would read it, too, when somebody has tried an example here. */
test.each(examples.filter((name) => existsSync(`examples/${name}/tsconfig.json`)))(
  "git ignores what is built in examples/%s",
  (name) => {
    const read = (file: string) => JSON.parse(readFileSync(`examples/${name}/${file}`, "utf8"));
    const { bundle = "" } = read("package.json").scripts;
    const [, bundled] = /--outfile=(\w+)\//.exec(bundle) ?? [];
    const ignored = readFileSync(".gitignore", "utf8").split("\n");
    expect(ignored).toContain(`/examples/*/${read("tsconfig.json").compilerOptions.outDir}/`);
    if (bundled !== undefined) expect(ignored).toContain(`/examples/*/${bundled}/`);
  },
);

const documents = [
  "docs/subscribing.md",
  "examples/README.md",
  ...examples.map((name) => `examples/${name}/README.md`),
];

test.each(documents)(
  "every link in %s leads to a file, and to a heading that it has",
  (document) => {
    for (const [, path = "", , heading] of linksOf(readFileSync(document, "utf8"))) {
      const file = path === "" ? document : join(dirname(document), path);
      expect(existsSync(file), `${file} exists`).toBe(true);
      if (heading !== undefined) expect(headingsOf(file), file).toContain(heading);
    }
  },
);

function linksOf(text: string) {
  return text.matchAll(/\]\((?!https?:)([^)#]*)(#([^)]+))?\)/g);
}

/** As GitHub names them. */
function headingsOf(file: string): string[] {
  const headings = readFileSync(file, "utf8").matchAll(/^#+ (.*)$/gm);
  return [...headings].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
}

/** The packages of an example are those that the repository is tested with. */
test.each(examples.filter((name) => existsSync(`examples/${name}/package.json`)))(
  "the versions in examples/%s are those of the repository",
  (name) => {
    const manifest = JSON.parse(readFileSync(`examples/${name}/package.json`, "utf8"));
    const own = JSON.parse(readFileSync("package.json", "utf8"));
    const known = { ...own.dependencies, ...own.devDependencies };
    for (const kind of ["paycast", "paycast-events"]) {
      known[kind] = `file:../../dist/${kind}-${own.version}.tgz`;
    }
    const named = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
    for (const [other, version] of named) expect([other, version]).toEqual([other, known[other]]);
  },
);
