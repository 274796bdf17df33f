import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Stack } from "aws-cdk-lib";
import { Key } from "aws-cdk-lib/aws-kms";
import { afterAll, expect, test } from "vitest";
import { Paycast } from "../../infra/paycast.ts";
import { createApp } from "../../infra/synthesize.ts";
import { findKept } from "../../operations/recovery/find-kept.ts";
import { everyOption } from "../infra/every-option.ts";
import { type StackTemplate, stub, synthesizeTemplate } from "../infra/stack-template.ts";
import { deploy, destroy } from "./double/small-stacks.ts";
import { useAws } from "./double/use-aws.ts";

const { aws, client } = useAws();
const options = { ...everyOption, secrets: {}, removalPolicy: "retain" } as const;
const folder = mkdtempSync(join(tmpdir(), "paycast-every-option-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Paycast in a stack of somebody else, with a KMS key of that stack. */
function inOwnStack(): StackTemplate {
  const app = createApp({
    ...{ outdir: join(folder, "cdk.out"), builtinCloudFormationValidation: false },
  });
  const stack = new Stack(app, "Own");
  const { encryptionKeyArn: _, ...props } = options;
  const codeOf = (name: Parameters<typeof stub>[1]) => stub(folder, name);
  new Paycast(stack, "Paycast", { ...props, encryptionKey: new Key(stack, "Key") }, codeOf);
  return app.synth().getStackByName("Own").template;
}

test.each<[string, number, () => StackTemplate]>([
  ["with every option", 13, () => synthesizeTemplate(options)],
  ["with a KMS key of the same stack", 14, inOwnStack],
])("what a stack %s leaves can be imported at once", async (name, count, synthesize) => {
  const StackName = name.replaceAll(" ", "-");
  const { Resources, ...rest } = synthesize();
  await deploy(client(), StackName, Resources, rest);
  const before = aws().stacks.find(StackName).resources;
  await destroy(client(), StackName);
  const { mapping, others } = await findKept(client(), StackName);
  expect(others).toEqual([]);
  const imported = Object.entries(mapping).map(([LogicalResourceId, ResourceIdentifier]) => {
    const ResourceType = Resources[LogicalResourceId]?.Type;
    return { LogicalResourceId, ResourceType, ResourceIdentifier };
  });
  const wanted = Object.fromEntries(Object.keys(mapping).map((id) => [id, Resources[id]!]));
  await deploy(client(), StackName, wanted, { type: "IMPORT", imported });
  const { resources } = aws().stacks.find(StackName);
  expect(resources.size).toBe(count);
  for (const [id, { physicalId }] of resources) expect(physicalId).toBe(before.get(id)?.physicalId);
});
