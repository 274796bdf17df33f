import type { Account } from "./account.ts";
import { type ChangeSet, type Stack, setStatus, tellEvent } from "./stacks.ts";
import { isKept } from "./template.ts";

/** Does what a change set says. All of it is done when CloudFormation answers, so nobody waits. */
export async function execute(
  stack: Stack,
  changeSet: ChangeSet,
  account: Account,
  /** The types of resources that cannot be made. */
  broken: ReadonlySet<string>,
): Promise<void> {
  const { type, template, text, imported } = changeSet;
  setStatus(stack, `${type}_IN_PROGRESS`);
  const before = { text: stack.text, template: stack.template };
  Object.assign(stack, { text, template });
  for (const [logicalId, physicalId] of imported) {
    add(stack, logicalId, physicalId, "IMPORT_COMPLETE");
  }
  const added = Object.keys(template.Resources).filter((id) => !stack.resources.has(id));
  const makeable = added.filter((id) => !broken.has(template.Resources[id]!.Type));
  const made = await account.make(planOf(stack), makeable);
  for (const [id, physicalId] of made) add(stack, id, physicalId, "CREATE_COMPLETE");
  if (makeable.length < added.length) return await rollBack(stack, before, makeable, account);
  await removeAll(stack, before.template.Resources, goneFrom(stack), account, isKept);
  for (const id of goneFrom(stack)) stack.resources.delete(id);
  setStatus(stack, `${type}_COMPLETE`);
}

export async function deleteStack(stack: Stack, account: Account): Promise<void> {
  setStatus(stack, "DELETE_IN_PROGRESS");
  const living = [...stack.resources].filter(([, { status }]) => !status.startsWith("DELETE_"));
  const ids = living.map(([id]) => id);
  const isDone = await removeAll(stack, stack.template.Resources, ids, account, isKept);
  setStatus(stack, isDone ? "DELETE_COMPLETE" : "DELETE_FAILED");
}

function goneFrom({ resources, template }: Stack): string[] {
  return [...resources.keys()].filter((id) => !(id in template.Resources));
}

function planOf({ name, template, resources }: Stack) {
  const physicalIds = new Map([...resources].map(([id, { physicalId }]) => [id, physicalId]));
  return { name, template, physicalIds };
}

function add(stack: Stack, logicalId: string, physicalId: string, status: string): void {
  const resource = { type: stack.template.Resources[logicalId]!.Type, physicalId, status };
  stack.resources.set(logicalId, resource);
  tellEvent(stack, status, [logicalId, resource]);
}

/** A stack whose first deployment failed can only be deleted; after any other failure it is as before. */
async function rollBack(
  stack: Stack,
  before: Pick<Stack, "text" | "template">,
  made: readonly string[],
  account: Account,
): Promise<void> {
  const isFirst = stack.status === "CREATE_IN_PROGRESS";
  setStatus(stack, isFirst ? "ROLLBACK_IN_PROGRESS" : "UPDATE_ROLLBACK_IN_PROGRESS");
  // "RetainExceptOnCreate" does not hold for the operation that made the resource.
  const isRetained: typeof isKept = ({ DeletionPolicy }) => DeletionPolicy === "Retain";
  const isDone = await removeAll(stack, stack.template.Resources, made, account, isRetained);
  if (!isFirst) {
    for (const id of made) stack.resources.delete(id);
    Object.assign(stack, before);
  }
  const status = isDone ? "ROLLBACK_COMPLETE" : "ROLLBACK_FAILED";
  setStatus(stack, isFirst ? status : `UPDATE_${status}`);
}

/** Gives false if a resource could not be deleted. */
async function removeAll(
  stack: Stack,
  declared: Stack["template"]["Resources"],
  logicalIds: readonly string[],
  account: Account,
  staysInAccount: typeof isKept,
): Promise<boolean> {
  let isDone = true;
  for (const id of logicalIds) {
    const resource = stack.resources.get(id)!;
    const declaration = declared[id]!;
    const status = staysInAccount(declaration)
      ? "DELETE_SKIPPED"
      : await account.remove(declaration, resource.physicalId).then(
          () => "DELETE_COMPLETE",
          () => "DELETE_FAILED",
        );
    resource.status = status;
    tellEvent(stack, status, [id, resource]);
    isDone &&= status !== "DELETE_FAILED";
  }
  return isDone;
}
