import * as z from "zod";
import { arnOf } from "../stack/template/resource-identity.ts";
import type { DeclaredResource, StackContext } from "../stack/template/stack-context.ts";
import { found, ignored, StackError } from "../stack/template/template.ts";
import type { Permissions, Principal } from "./guard.ts";
import { identityPolicySchema, resourcePolicySchema, type Statement } from "./policy.ts";

const roleSchema = z.strictObject({
  AssumeRolePolicyDocument: ignored,
  Description: ignored,
  // A policy of the account, not of the template. It can only deny: test/infra/deployment-policy.test.ts compares it.
  PermissionsBoundary: ignored,
  Policies: z
    .array(z.strictObject({ PolicyName: z.string(), PolicyDocument: identityPolicySchema }))
    .default([]),
  Tags: ignored,
});

const functionRole = z.object({
  Role: z.object({ "Fn::GetAtt": z.tuple([z.string(), z.string()]) }),
});

/** The permissions from the roles and queue policies of a template. Throws a StackError for anything unsupported. */
export function readPermissions(context: StackContext): Permissions {
  const roles = new Map(
    context.declared("AWS::IAM::Role").map((role) => [role.logicalId, role] as const),
  );
  const principals = context.declared("AWS::Lambda::Function").map((declared): Principal => {
    const [roleId] = functionRole.parse(declared.resource.Properties).Role["Fn::GetAtt"];
    const role = found(roles.get(roleId), `${declared.logicalId} has no role in the template.`);
    const { Policies } = context.properties(roleSchema, role);
    return {
      name: declared.identity.ref,
      arn: role.identity.attribute("Arn") ?? "",
      functionArn: declared.identity.attribute("Arn"),
      statements: Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement),
    };
  });
  return {
    principals,
    resourceStatements: resourceStatements(context),
    partitionKeys: new Map(context.declared("AWS::DynamoDB::Table").flatMap(keysOf(context))),
  };
}

const queuePolicy = z.strictObject({
  PolicyDocument: resourcePolicySchema,
  Queues: z.array(z.string()),
});

/** AWS applies a policy to its own queues only, and a queue has one policy. Throws if the template names others. */
function resourceStatements(context: StackContext): readonly Statement[] {
  const owners = new Map<string, string>();
  return context.declared("AWS::SQS::QueuePolicy").flatMap((declared) => {
    const { logicalId } = declared;
    const { PolicyDocument, Queues } = context.properties(queuePolicy, declared);
    for (const url of Queues) {
      const owner = owners.get(url);
      if (owner !== undefined) throw wrongPolicy(`${owner} and ${logicalId} are both for ${url}`);
      owners.set(url, logicalId);
    }
    const own = Queues.map((url) => arnOf("AWS::SQS::Queue", url));
    const named = PolicyDocument.Statement.flatMap(({ Resource }) => Resource);
    const foreign = named.find((resource) => !own.includes(resource));
    if (foreign === undefined) return PolicyDocument.Statement;
    throw wrongPolicy(`${logicalId} names ${foreign}, which is not one of its queues`);
  });
}

function wrongPolicy(why: string): StackError {
  return new StackError(
    "local-template-invalid",
    `The local stack does not support these queue policies: ${why}.`,
  );
}

const keySchema = z.array(z.object({ AttributeName: z.string(), KeyType: z.string() }));
const tableKeys = z.object({
  KeySchema: keySchema,
  GlobalSecondaryIndexes: z
    .array(z.object({ IndexName: z.string(), KeySchema: keySchema }))
    .default([]),
});

const keysOf = (context: StackContext) => (declared: DeclaredResource) => {
  const { KeySchema, GlobalSecondaryIndexes } = context.properties(tableKeys, declared);
  const table = declared.identity.ref;
  const places = [
    [table, KeySchema],
    ...GlobalSecondaryIndexes.map(
      (index) => [`${table}/index/${index.IndexName}`, index.KeySchema] as const,
    ),
  ] as const;
  return places.flatMap(([place, schema]) => {
    const partition = schema.find(({ KeyType }) => KeyType === "HASH");
    return partition === undefined ? [] : [[place, partition.AttributeName] as const];
  });
};
