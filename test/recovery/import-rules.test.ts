import type { ResourceToImport } from "@aws-sdk/client-cloudformation";
import { beforeAll, describe, expect, test } from "vitest";
import {
  auditLog,
  deploy,
  destroy,
  policy,
  queue,
  type Resources,
  role,
  secret,
  table,
} from "./double/small-stacks.ts";
import { useAws } from "./double/use-aws.ts";

const { aws, client } = useAws();
const all = { T: table, Q: queue, S: secret, L: auditLog };
let left: ReadonlyMap<string, { readonly physicalId: string }>;

beforeAll(async () => {
  await deploy(client(), "before", { ...all, P: policy });
  left = aws().stacks.find("before").resources;
  await destroy(client(), "before");
});

function toImport(id: string, identifier: string, value?: string): ResourceToImport {
  const { physicalId = "" } = left.get(id) ?? {};
  const ResourceType = { ...all, P: policy }[id]?.Type;
  const ResourceIdentifier = { [identifier]: value ?? physicalId };
  return { LogicalResourceId: id, ResourceType, ResourceIdentifier };
}

async function importInto(
  name: string,
  resources: Resources,
  imported: ResourceToImport[],
  outputs?: object,
) {
  const how = { type: "IMPORT", imported, ...(outputs && { Outputs: outputs }) } as const;
  await deploy(client(), name, resources, how);
  return aws().stacks.find(name);
}

/** The trial of a recovery proves something only if CloudFormation's stand-in refuses what CloudFormation refuses. */
describe("the stand-in for CloudFormation refuses an import", () => {
  const right = () => [toImport("T", "TableName")];
  test.each<[string, Resources, () => ResourceToImport[], object | undefined, string]>([
    [
      "without a deletion policy",
      { T: { ...table, DeletionPolicy: undefined } },
      right,
      undefined,
      "must have DeletionPolicy",
    ],
    [
      "by another property",
      { T: table },
      () => [toImport("T", "Name")],
      undefined,
      "identified by TableName",
    ],
    [
      "of what does not exist",
      { T: table },
      () => [toImport("T", "TableName", "gone")],
      undefined,
      "gone does not exist",
    ],
    ["as another type", { T: queue }, right, undefined, "has no AWS::DynamoDB::Table"],
    [
      "that also makes something",
      { T: table, R: role },
      right,
      undefined,
      "modified resources [R]",
    ],
    [
      "with outputs",
      { T: table },
      right,
      { Name: { Value: "x" } },
      "cannot modify or add [Outputs]",
    ],
    [
      "of a type without support",
      { P: policy },
      () => [toImport("P", "Id")],
      undefined,
      "cannot be imported",
    ],
    [
      "without what it refers to",
      { T: table, Q: { ...queue, Properties: { KmsMasterKeyId: { "Fn::GetAtt": ["K", "Arn"] } } } },
      right,
      undefined,
      "Unresolved resource dependencies [K]",
    ],
    [
      "of one resource under two names",
      { T: table, U: table },
      () => [toImport("T", "TableName"), { ...toImport("T", "TableName"), LogicalResourceId: "U" }],
      undefined,
      "the same identifier",
    ],
  ])("%s", async (_, resources, imported, outputs, message) => {
    await expect(importInto("refused", resources, imported(), outputs)).rejects.toThrow(message);
    expect(aws().stacks.living("refused")?.resources ?? new Map()).toEqual(new Map());
  });
});

test("it imports what is left, once", async () => {
  const imported = [
    toImport("T", "TableName"),
    toImport("Q", "QueueUrl"),
    toImport("S", "Id"),
    toImport("L", "LogGroupName"),
  ];
  const after = await importInto("after", all, imported);
  for (const id of Object.keys(all)) {
    expect(after.resources.get(id)?.physicalId).toBe(left.get(id)?.physicalId);
  }
  await expect(importInto("other", { T: table }, imported.slice(0, 1))).rejects.toThrow(
    "already managed by stack",
  );
});

test("it changes nothing that the stack already has", async () => {
  await deploy(client(), "grown", { R: role });
  await deploy(client(), "spare", { T: table });
  left = aws().stacks.find("spare").resources;
  await destroy(client(), "spare");
  const changed = { R: { ...role, Properties: { Path: "/" } }, T: table };
  await expect(importInto("grown", changed, [toImport("T", "TableName")])).rejects.toThrow(
    "modified resources [R]",
  );
  const grown = await importInto("grown", { R: role, T: table }, [toImport("T", "TableName")]);
  expect([...grown.resources.keys()]).toEqual(["R", "T"]);
});
