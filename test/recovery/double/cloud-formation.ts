import type { Account } from "./account.ts";
import { createChangeSet } from "./change-sets.ts";
import { deleteStack, execute } from "./operations.ts";
import type { QueryInput } from "./query-input.ts";
import { type ChangeSet, Refused, type Stack, type Stacks } from "./stacks.ts";

interface Surroundings {
  readonly stacks: Stacks;
  readonly account: Account;
  readonly broken: ReadonlySet<string>;
  /** What was uploaded, by its address. */
  fetchTemplate(url: string): string;
}

type Operation = (input: QueryInput, around: Surroundings) => Promise<object> | object;

/** What the CDK command and `npx paycast` ask of CloudFormation. */
export const operations: Readonly<Record<string, Operation>> = {
  DescribeStacks: ({ StackName }, { stacks }) => ({ Stacks: [described(stacks.find(StackName))] }),
  ListStacks: ({ NextToken }, { stacks }) =>
    pageOf("StackSummaries", stacks.all.map(described), NextToken),
  ListStackResources: ({ StackName, NextToken }, { stacks }) => {
    const resources = [...stacks.find(StackName).resources].map(([id, resource]) => ({
      ...{ LogicalResourceId: id, PhysicalResourceId: resource.physicalId },
      ...{ ResourceType: resource.type, ResourceStatus: resource.status },
      LastUpdatedTimestamp: now(),
    }));
    return pageOf("StackResourceSummaries", resources, NextToken);
  },
  GetTemplate: ({ StackName }, { stacks }) => ({ TemplateBody: stacks.find(StackName).text }),
  DescribeStackEvents: ({ StackName }, { stacks }) => ({
    StackEvents: stacks.find(StackName).events,
  }),
  CreateChangeSet: async (input, around) => {
    const { stacks, account } = around;
    const made = await createChangeSet(input, textOf(input, around), stacks, account);
    return { Id: made.changeSet.id, StackId: made.stack.id };
  },
  DescribeChangeSet: (input, around) => {
    const { stack, changeSet } = changeSetOf(input, around);
    return describedChangeSet(stack, changeSet);
  },
  ExecuteChangeSet: async (input, around) => {
    const { stack, changeSet } = changeSetOf(input, around);
    stack.changeSets.delete(changeSet.name);
    await execute(stack, changeSet, around.account, around.broken);
    return {};
  },
  DeleteChangeSet: (input, { stacks }) => {
    stacks.living(input["StackName"])?.changeSets.delete(input["ChangeSetName"]);
    return {};
  },
  UpdateTerminationProtection: ({ StackName, EnableTerminationProtection }, { stacks }) => {
    const stack = stacks.find(StackName);
    stack.isProtected = EnableTerminationProtection === "true";
    return { StackId: stack.id };
  },
  DeleteStack: async ({ StackName }, { stacks, account }) => {
    const stack = stacks.find(StackName);
    if (stack.isProtected) {
      throw new Refused(
        `Stack [${stack.name}] cannot be deleted while TerminationProtection is enabled`,
      );
    }
    await deleteStack(stack, account);
    return {};
  },
};

const entriesPerPage = 20;

/** Some of a list, so that its reader must ask for the rest. */
function pageOf(name: string, entries: readonly object[], token = "0"): object {
  const start = Number(token);
  const end = start + entriesPerPage;
  const rest = end < entries.length ? { NextToken: String(end) } : {};
  return { [name]: entries.slice(start, end), ...rest };
}

function textOf(
  { TemplateBody, TemplateURL }: QueryInput,
  { fetchTemplate }: Surroundings,
): string {
  return TemplateBody ?? fetchTemplate(TemplateURL);
}

function changeSetOf({ StackName, ChangeSetName }: QueryInput, { stacks }: Surroundings) {
  for (const stack of stacks.all) {
    for (const changeSet of stack.changeSets.values()) {
      const isNamed = changeSet.name === ChangeSetName && stacks.find(StackName) === stack;
      if (isNamed || changeSet.id === ChangeSetName) return { stack, changeSet };
    }
  }
  throw new Refused(`ChangeSet [${ChangeSetName}] does not exist`, "ChangeSetNotFound");
}

function described({ name, id, status, isProtected, createdAt, endedAt }: Stack) {
  return {
    ...{ StackName: name, StackId: id, StackStatus: status, CreationTime: createdAt },
    ...{ EnableTerminationProtection: isProtected, Outputs: [], Tags: [], Parameters: [] },
    ...(status === "DELETE_COMPLETE" && { DeletionTime: endedAt }),
  };
}

function describedChangeSet({ name, id }: Stack, changeSet: ChangeSet) {
  return {
    ...{ StackName: name, StackId: id, ChangeSetName: changeSet.name, ChangeSetId: changeSet.id },
    ...{ Status: "CREATE_COMPLETE", ExecutionStatus: "AVAILABLE", CreationTime: now() },
    Changes: changeSet.changes.map(({ action, logicalId, type }) => ({
      Type: "Resource",
      ResourceChange: { Action: action, LogicalResourceId: logicalId, ResourceType: type },
    })),
  };
}

function now(): string {
  return new Date().toISOString();
}
