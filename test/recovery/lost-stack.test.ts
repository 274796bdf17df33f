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
import { findKept } from "../../tools/operations/recovery/find-kept.ts";
import { everyOption } from "../infra/every-option.ts";
import {
  type Resource,
  type StackTemplate,
  stub,
  synthesizeTemplate,
} from "../infra/stack-template.ts";
import { useListedStacks } from "../tools/operations/recovery/listed-stacks.ts";

const { add, client } = useListedStacks();
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

/** A deleted stack with these resources, as CloudFormation lists it afterwards. */
async function keptOf(name: string, { Resources }: StackTemplate) {
  const resources = Object.entries(Resources).map(([id, resource]) => {
    const status = isKept(resource) ? "DELETE_SKIPPED" : "DELETE_COMPLETE";
    return [id, [resource.Type, status]] as const;
  });
  add({ name, resources: Object.fromEntries(resources) });
  return await findKept(client(), name);
}

function isKept({ DeletionPolicy }: Resource): boolean {
  return DeletionPolicy === "Retain" || DeletionPolicy === "RetainExceptOnCreate";
}

/** CloudFormation's rules for an import, as its documentation has them. */
describe.each<[string, number, () => StackTemplate]>([
  ["of the sample config", 14, () => synthesizeTemplate()],
  ["with every option", 14, () => synthesizeTemplate(options)],
  ["with a KMS key of the same stack", 15, inOwnStack],
])("what a deleted stack %s leaves", (name, count, synthesize) => {
  const template = synthesize();

  test("can be imported: each by the identifier of its type, and all at once", async () => {
    const { mapping, others } = await keptOf(name, template);
    expect(others).toEqual([]);
    expect(Object.keys(mapping)).toHaveLength(count);
    for (const [id, identifier] of Object.entries(mapping)) {
      expect(Object.keys(identifier)).toEqual(identifiers.get(template.Resources[id]!.Type));
    }
  });

  test("refers to nothing that an import would have to make", async () => {
    const { mapping } = await keptOf(`${name} alone`, template);
    const imported = Object.keys(mapping).map((id) => template.Resources[id]!);
    const referred = new Set(imported.flatMap(({ Properties }) => referencesIn(Properties)));
    const missing = [...referred].filter((id) => id in template.Resources && !(id in mapping));
    expect(missing).toEqual([]);
  });
});

test("a disposable stack leaves nothing", async () => {
  const template = synthesizeTemplate({ ...options, removalPolicy: "destroy" });
  expect(await keptOf("disposable", template)).toMatchObject({ mapping: {}, others: [] });
});

test("the steps of docs/changing.md are commands that exist", () => {
  const steps = documented("sh").split("\n");
  expect(steps.map((line) => line.split(" ").slice(0, 3).join(" "))).toEqual([
    "npx paycast kept",
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

test("the file in docs/changing.md names what a small stack would leave", async () => {
  const template = synthesizeTemplate({ merchants: ["M1"], subscribers: [] });
  const { mapping } = await keptOf("small", template);
  const written: typeof mapping = JSON.parse(documented("json"));
  expect(Object.keys(written).sort()).toEqual(Object.keys(mapping).sort());
  for (const [id, identifier] of Object.entries(written)) {
    expect(Object.keys(identifier)).toEqual(Object.keys(mapping[id] ?? {}));
  }
});

/** The first block of a language in the section about a lost stack. */
function documented(language: "sh" | "json"): string {
  const document = readFileSync(join(root, "docs/changing.md"), "utf8");
  const section = document.slice(document.indexOf("\n## A lost stack\n"));
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
  return new Map(types.map((one) => [one.cloudFormationType, one.primaryIdentifier ?? []]));
}

function referencesIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === "Ref") return [String(inner)];
    if (key === "Fn::GetAtt") return [String([inner].flat()[0]).split(".")[0] ?? ""];
    return referencesIn(inner);
  });
}
