import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { codeIn } from "../../checks/markdown.ts";
import { resourcesOf, type StackTemplate } from "../../infra/stack-template.ts";
import { typescript, usePackage } from "./installed-package.ts";

const packed = usePackage();

const readmeExample = codeIn("infra/contract/packing/construct-readme.md", "ts")[0] ?? "";

/** Checks our own declarations too, and with them all of the CDK, which takes long: for one of the two kinds only. */
const withDeclarations = settings({ skipLibCheck: false });
/** The declarations of the CDK do not pass with this flag, so they are left out. */
const strictest = settings({ skipLibCheck: true, exactOptionalPropertyTypes: true });

function settings(changes: object): string {
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
  return JSON.stringify({ compilerOptions, files: ["app.ts"] });
}

describe.each(["module", "commonjs"])("in an empty project of type %s", (type) => {
  test("the README's example passes a strict type-check, and its stack is synthesized", () => {
    const project = packed.newProject(
      type,
      { type },
      {
        "app.ts": `${readmeExample}\nprocess.exitCode = stack.node.children.length > 0 ? 0 : 1;\n`,
        "tsconfig.json": type === "module" ? strictest : withDeclarations,
      },
    );
    expect(project.run([typescript])).toEqual({ status: 0, out: "", err: "" });
    const code = readFileSync(join(project.folder, "app.js"), "utf8");
    expect(code.includes('require("paycast")')).toBe(type === "commonjs");
    project.run(["-e", 'require("fs").mkdirSync("ship-order")']);
    const CDK_OUTDIR = join(project.folder, "out");
    expect(project.run(["app.js"], { CDK_OUTDIR })).toMatchObject({ status: 0, err: "" });
    const template: StackTemplate = JSON.parse(
      readFileSync(join(CDK_OUTDIR, "Payments.template.json"), "utf8"),
    );
    expect(resourcesOf(template, "AWS::Lambda::Function")).toHaveLength(7);
    expect(resourcesOf(template, "AWS::Lambda::EventSourceMapping")).toHaveLength(2);
  });
});

describe("the examples of docs/construct.md", () => {
  test("pass the type-check and are synthesized: one stack with Paycast, two with consumers", () => {
    const [paycast = "", ledger = "", foreign = ""] = codeIn("docs/construct.md", "ts");
    const use = `import { readLedgerEvents } from "./ledger.js";
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
    const project = packed.newProject(
      "documents",
      { type: "module" },
      {
        "app.ts": `${paycast.replace("\nnew Paycast(", "\nconst paycast = new Paycast(")}\n${use}`,
        "ledger.ts": ledger,
        "foreign.ts": foreign,
        "tsconfig.json": strictest,
      },
    );
    expect(project.run([typescript])).toEqual({ status: 0, out: "", err: "" });
    const CDK_OUTDIR = join(project.folder, "out");
    expect(project.run(["app.js"], { CDK_OUTDIR })).toMatchObject({ status: 0, err: "" });
    for (const stack of ["Ledger", "Reading"]) {
      const text = readFileSync(join(CDK_OUTDIR, `${stack}.template.json`), "utf8");
      expect(resourcesOf(JSON.parse(text), "AWS::Lambda::EventSourceMapping")).toHaveLength(1);
      expect(text).toContain("kms:Decrypt");
    }
  });
});

describe("both kinds of import in one app", () => {
  test("give the same construct, so that one stack cannot hold two", () => {
    const project = packed.newProject(
      "both",
      { type: "module" },
      {
        "app.js": `import { createRequire } from "node:module";
import * as imported from "paycast";
const required = createRequire(import.meta.url)("paycast");
console.log(JSON.stringify(Object.keys(required).filter((name) => imported[name] === required[name])));`,
      },
    );
    const { out } = project.run(["app.js"]);
    expect(JSON.parse(out).sort()).toEqual(["Paycast", "PaycastConsumer", "importPaycastQueue"]);
  });

  test("know no prop that the types do not have", () => {
    const project = packed.newProject(
      "wrong",
      { type: "module" },
      {
        "app.ts": readmeExample.replace('merchants: ["ShopEurope"],', 'merchant: ["ShopEurope"],'),
        "tsconfig.json": strictest,
      },
    );
    const { status, out } = project.run([typescript]);
    expect(status).not.toBe(0);
    expect(out).toContain("'merchant' does not exist in type 'PaycastProps'");
  });
});
