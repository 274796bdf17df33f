import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { codeIn } from "../../checks/markdown.ts";
import { resourcesOf, type StackTemplate } from "../../infra/stack-template.ts";
import { examplesIn } from "../../tools/contract/doc-examples.ts";
import { type Project, typescript, usePackage } from "./installed-package.ts";

const packed = usePackage();

const readmeExample = codeIn("tools/contract/packages/construct-readme.md", "ts")[0] ?? "";
const [paycast = "", ledger = "", foreign = ""] = codeIn("docs/construct.md", "ts");

const useOfDocumented = `import { readLedgerEvents } from "./ledger.js";
import { readForeignEvents } from "./foreign.js";
import { Code, Function as LambdaFunction, Runtime } from "aws-cdk-lib/aws-lambda";
import { Duration } from "aws-cdk-lib";
const env = { region: "eu-west-1" };
readLedgerEvents(new Stack(app, "Ledger", { env }), paycast);
const reading = new Stack(app, "Reading", { env });
readForeignEvents(reading, new LambdaFunction(reading, "Book", {
  code: Code.fromInline("exports.handler = () => {}"),
  handler: "index.handler",
  runtime: Runtime.NODEJS_24_X,
  timeout: Duration.seconds(120),
}));`;

/** The declarations of the package have the same comments: the tarball's test checks it. */
const docExamples = ["infra/paycast.ts", "infra/alarms/paycast-alarm.ts"]
  .flatMap((file) => examplesIn(readFileSync(file, "utf8")))
  .map((code, index) => [`example-${index}.ts`, code] as const);

const modules = {
  ...Object.fromEntries(docExamples),
  "readme.ts": readmeExample,
  "app.ts": `${paycast.replace("\nnew Paycast(", "\nconst paycast = new Paycast(")}\n${useOfDocumented}`,
  "ledger.ts": ledger,
  "foreign.ts": foreign,
  "wrong.ts": readmeExample.replace('merchants: ["ShopEurope"],', 'merchant: ["ShopEurope"],'),
};

const both = `import { createRequire } from "node:module";
import * as imported from "paycast";
const required = createRequire(import.meta.url)("paycast");
console.log(JSON.stringify(Object.keys(required).filter((name) => imported[name] === required[name])));`;

function settings(files: readonly string[], changes: object): string {
  const compilerOptions = {
    target: "es2023",
    module: "nodenext",
    types: ["node"],
    strict: true,
    noUncheckedIndexedAccess: true,
    noImplicitOverride: true,
    noUnusedLocals: true,
    ...changes,
  };
  return JSON.stringify({ compilerOptions, files });
}

/** A folder for each kind of module. The package is installed above them, where Node and the compiler find it too. */
const folders = {
  commonjs: {
    "app.ts": readmeExample,
    // Checks our own declarations too, and with them all of the CDK, which takes long: for one of the two kinds only.
    "tsconfig.json": settings(["app.ts"], { skipLibCheck: false }),
  },
  module: {
    ...modules,
    "both.js": both,
    // The declarations of the CDK do not pass with this flag, so they are left out.
    "tsconfig.json": settings(Object.keys(modules), {
      skipLibCheck: true,
      exactOptionalPropertyTypes: true,
    }),
  },
};

let project: Project;
beforeAll(() => {
  const files = Object.entries(folders).flatMap(([type, contents]) =>
    Object.entries({ ...contents, "package.json": JSON.stringify({ type }) }).map(
      ([name, text]) => [`${type}/${name}`, text],
    ),
  );
  project = packed.newProject("apps", {}, Object.fromEntries(files));
});

describe("in a project of type commonjs", () => {
  test("the README's example passes a strict type-check, and its stack is synthesized", () => {
    expect(project.run([typescript, "-p", "commonjs"])).toEqual({ status: 0, out: "", err: "" });
    const code = readFileSync(join(project.folder, "commonjs/app.js"), "utf8");
    expect(code).toContain('require("paycast")');
    mkdirSync(join(project.folder, "ship-order"));
    const templateOf = synthesized("commonjs/app.js", { CDK_VALIDATION: "false" });
    const template = templateOf("Payments");
    expect(resourcesOf(template, "AWS::Lambda::Function")).toHaveLength(7);
    expect(resourcesOf(template, "AWS::Lambda::EventSourceMapping")).toHaveLength(2);
  });
});

describe("in a project of type module", () => {
  let compiled: ReturnType<Project["run"]>;
  beforeAll(() => {
    compiled = project.run([typescript, "-p", "module"]);
  });

  test("the examples of the README, of docs/construct.md and of the doc comments pass the strictest type-check, and only an unknown prop does not", () => {
    expect(compiled).toMatchObject({ status: 2, err: "" });
    expect(compiled.out).toMatch(
      /^module\/wrong\.ts\(.*'merchant' does not exist in type 'PaycastProps'.*\n$/,
    );
  });

  test("the examples of docs/construct.md are synthesized: one stack with Paycast, two with consumers", () => {
    const templateOf = synthesized("module/app.js");
    for (const template of [templateOf("Ledger"), templateOf("Reading")]) {
      expect(resourcesOf(template, "AWS::Lambda::EventSourceMapping")).toHaveLength(1);
      expect(JSON.stringify(template)).toContain("kms:Decrypt");
    }
  });

  test("both kinds of import give the same construct, so that one stack cannot hold two", () => {
    const { out } = project.run(["module/both.js"]);
    expect(JSON.parse(out).sort()).toEqual(["Paycast"]);
  });
});

/** Runs an app and gives the templates of its stacks. The README's stack is validated with the example app. */
function synthesized(
  app: string,
  changes: NodeJS.ProcessEnv = {},
): (stack: string) => StackTemplate {
  const CDK_OUTDIR = join(project.folder, `${app}.out`);
  const run = project.run([app], { CDK_OUTDIR, ...changes });
  expect(run).toMatchObject({ status: 0, err: "" });
  return (stack) => JSON.parse(readFileSync(join(CDK_OUTDIR, `${stack}.template.json`), "utf8"));
}
