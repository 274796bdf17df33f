import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { Stack } from "aws-cdk-lib";
import { Key } from "aws-cdk-lib/aws-kms";
import { afterAll, describe, expect, test } from "vitest";
import { Paycast } from "../../infra/paycast.ts";
import { createApp } from "../../infra/synthesize.ts";
import { everyOption } from "../infra/every-option.ts";
import {
  type Resource,
  type StackTemplate,
  stub,
  synthesizeTemplate,
} from "../infra/stack-template.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "paycast-recovery-"));
afterAll(() => rmSync(folder, { recursive: true }));

const options = { ...everyOption, secrets: {}, removalPolicy: "retain" } as const;

/** Paycast in a stack of somebody else, with a KMS key of that stack. */
function inOwnStack(): StackTemplate {
  const app = createApp({
    outdir: join(folder, "cdk.out"),
    builtinCloudFormationValidation: false,
  });
  const stack = new Stack(app, "Own");
  const { encryptionKeyArn: _encryptionKeyArn, ...props } = options;
  const codeOf = (name: Parameters<typeof stub>[1]) => stub(folder, name);
  new Paycast(stack, "Paycast", { ...props, encryptionKey: new Key(stack, "Key") }, codeOf);
  return app.synth().getStackByName("Own").template;
}

const document = readFileSync(join(root, "docs/changing.md"), "utf8");
const section = document.slice(document.indexOf("\n## A lost stack\n"));

/** The table of types in that section. */
const documentedProperties = new Map(
  [...section.matchAll(/^\| `(AWS::\w+::\w+)`.* \| `(\w+)` \|$/gm)].map(([, type, property]) => [
    type,
    property,
  ]),
);

/** What stays in the account when the stack is deleted. The next deployment sets the policies of queues again. */
function keptOf({ Resources }: StackTemplate): [id: string, resource: Resource][] {
  return Object.entries(Resources).filter(
    ([, { DeletionPolicy = "", Type }]) =>
      DeletionPolicy.startsWith("Retain") && Type !== "AWS::SQS::QueuePolicy",
  );
}

/** CloudFormation's rules for an import, as its documentation has them. */
describe.each<[string, number, () => StackTemplate]>([
  ["of the sample config", 14, () => synthesizeTemplate()],
  ["with every option", 14, () => synthesizeTemplate(options)],
  ["with a KMS key of the same stack", 15, inOwnStack],
])("what a deleted stack %s leaves", (_name, count, synthesize) => {
  const kept = keptOf(synthesize());

  test("can be imported, by the property that docs/changing.md names for its type", () => {
    expect(kept).toHaveLength(count);
    for (const [, { Type }] of kept) {
      expect([documentedProperties.get(Type)]).toEqual(identifiers.get(Type));
    }
  });

  test("has the names that CloudFormation gives, as docs/changing.md says", () => {
    for (const [id, { Properties }] of kept) {
      const names = ["TableName", "QueueName", "Name", "LogGroupName"];
      expect({ id, given: names.filter((name) => name in Properties) }).toEqual({ id, given: [] });
    }
  });

  test("refers to nothing that an import would have to make", () => {
    const ids = kept.map(([id]) => id);
    const referred = new Set(kept.flatMap(([, { Properties }]) => referencesIn(Properties)));
    const made = Object.keys(synthesize().Resources).filter((id) => !ids.includes(id));
    expect(made.filter((id) => referred.has(id))).toEqual([]);
  });
});

test("a disposable stack leaves nothing", () => {
  expect(keptOf(synthesizeTemplate({ ...options, removalPolicy: "destroy" }))).toEqual([]);
});

test("the steps of docs/changing.md are commands that exist", () => {
  const steps = documented("sh").split("\n");
  expect(steps.map((line) => line.split(" ").slice(0, 3).join(" "))).toEqual([
    "aws cloudformation list-stacks",
    "aws cloudformation list-stack-resources",
    "npx cdk import",
    "npx cdk deploy",
    "npx paycast check",
    "npx paycast smoke",
  ]);
  const help = execFileSync(join(root, "node_modules/.bin/cdk"), ["import", "--help"], {
    encoding: "utf8",
  });
  expect(help).toContain("--resource-mapping");
});

test("the file in docs/changing.md names what a small stack would leave", () => {
  const kept = keptOf(synthesizeTemplate({ merchants: ["M1"], subscribers: [] }));
  const written: Record<string, object> = JSON.parse(documented("json"));
  expect(Object.keys(written).sort()).toEqual(kept.map(([id]) => id).sort());
  for (const [id, { Type }] of kept) {
    expect(Object.keys(written[id]!)).toEqual(identifiers.get(Type));
  }
});

/** The first block of a language in the section about a lost stack. */
function documented(language: "sh" | "json"): string {
  const [, block = ""] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "ms").exec(section) ?? [];
  return block.trim();
}

/** What identifies a resource of each type, from AWS's own schemas, which the CDK command brings along. */
const identifiers: ReadonlyMap<string, readonly string[]> = readIdentifiers();

function readIdentifiers() {
  const database = new URL("../../node_modules/aws-cdk/db.json.gz", import.meta.url);
  const { schema } = JSON.parse(gunzipSync(readFileSync(database)).toString());
  const types: { cloudFormationType: string; primaryIdentifier?: string[] }[] =
    schema.resource.entities;
  return new Map(types.map((type) => [type.cloudFormationType, type.primaryIdentifier ?? []]));
}

function referencesIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === "Ref") return [String(inner)];
    if (key === "Fn::GetAtt") return [String([inner].flat()[0]).split(".")[0] ?? ""];
    return referencesIn(inner);
  });
}
