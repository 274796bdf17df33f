import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Account } from "./account.ts";
import { checkImport, type ResourceToImport } from "./import-rules.ts";
import type { QueryInput } from "./query-input.ts";
import { type ChangeSet, newStack, Refused, type Stack, type Stacks } from "./stacks.ts";
import { readTemplate, type Template, unresolvedIn } from "./template.ts";

/** Plans what a change set would do, and refuses what CloudFormation would refuse. */
export async function createChangeSet(
  input: QueryInput,
  text: string,
  stacks: Stacks,
  account: Account,
): Promise<{ stack: Stack; changeSet: ChangeSet }> {
  const { StackName, ChangeSetName: name, ChangeSetType: type = "UPDATE" } = input;
  const existing = stacks.living(StackName);
  refuseWrongType(type, StackName, existing);
  const template = readTemplate(text);
  refuseUnresolved(template);
  const stack = existing ?? newStack(StackName);
  // CloudFormation makes the stack first and checks what is imported then. If it refuses, the stack stays, under review.
  stacks.add(stack);
  const wanted: ResourceToImport[] = input["ResourcesToImport"] ?? [];
  const imported =
    type === "IMPORT"
      ? await checkImport(stack, template, wanted, account, stacks.all)
      : new Map<string, string>();
  const id = stack.id.replace(/:stack\/.*/, `:changeSet/${name}/${randomUUID()}`);
  const changes = changesOf(stack, template, type);
  const changeSet = { name, id, type, text, template, imported, changes };
  stack.changeSets.set(name, changeSet);
  return { stack, changeSet };
}

function refuseUnresolved(template: Template): void {
  const missing = unresolvedIn(template);
  if (missing.length === 0) return;
  throw new Refused(
    `Template format error: Unresolved resource dependencies [${missing.join(", ")}] in the Resources block of the template`,
  );
}

function refuseWrongType(type: string, name: string, existing: Stack | undefined): void {
  const isNew = existing === undefined || existing.status === "REVIEW_IN_PROGRESS";
  if (type === "CREATE" && !isNew) {
    throw new Refused(`Stack [${name}] already exists and cannot be created again`);
  }
  if (type === "UPDATE" && isNew) throw new Refused(`Stack [${name}] does not exist`);
  if (existing?.status !== "ROLLBACK_COMPLETE") return;
  throw new Refused(`Stack:${existing.id} is in ROLLBACK_COMPLETE state and can not be updated.`);
}

function changesOf({ resources, template: before }: Stack, after: Template, type: string) {
  const news = Object.entries(after.Resources).flatMap(([logicalId, resource]) => {
    const known = before.Resources[logicalId];
    const action = known ? "Modify" : type === "IMPORT" ? "Import" : "Add";
    if (isDeepStrictEqual(known, resource)) return [];
    return [{ action, logicalId, type: resource.Type }];
  });
  const gone = [...resources].filter(([logicalId]) => !(logicalId in after.Resources));
  return [
    ...news,
    ...gone.map(([logicalId, { type: goneType }]) => {
      return { action: "Remove", logicalId, type: goneType };
    }),
  ];
}
