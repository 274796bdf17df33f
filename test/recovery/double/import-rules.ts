import { isDeepStrictEqual } from "node:util";
import type { Account } from "./account.ts";
import { identifierOf } from "./identifiers.ts";
import type { PhysicalIds } from "./physical-names.ts";
import { isLiving, Refused, type Stack } from "./stacks.ts";
import type { Template } from "./template.ts";

export interface ResourceToImport {
  readonly LogicalResourceId: string;
  readonly ResourceType: string;
  readonly ResourceIdentifier: Readonly<Record<string, string>>;
}

/** The types of a Paycast stack that CloudFormation's list of supported imports has. */
const importable = new Set([
  "AWS::DynamoDB::Table",
  "AWS::KMS::Key",
  "AWS::Logs::LogGroup",
  "AWS::SecretsManager::Secret",
  "AWS::SQS::Queue",
]);

/**
 * What CloudFormation checks before it imports. It does not compare a template with the resource itself, so neither does
 * this. Gives the physical id of each imported resource.
 */
export async function checkImport(
  stack: Stack,
  template: Template,
  wanted: readonly ResourceToImport[],
  account: Account,
  all: readonly Stack[],
): Promise<PhysicalIds> {
  refuseOtherChanges(stack, template, new Set(wanted.map((one) => one.LogicalResourceId)));
  for (const one of wanted) refuseIncomplete(one, template);
  const imported = new Map(wanted.map((one) => [one.LogicalResourceId, physicalIdOf(one)]));
  if (new Set(imported.values()).size < imported.size) {
    throw new Refused("Two resources to import have the same identifier");
  }
  for (const { LogicalResourceId, ResourceType } of wanted) {
    const physicalId = imported.get(LogicalResourceId) ?? "";
    refuseOwned(physicalId, all);
    if (await account.exists(ResourceType, physicalId)) continue;
    throw new Refused(`${ResourceType} with identifier ${physicalId} does not exist`);
  }
  return imported;
}

/** An import creates, changes and deletes nothing, and leaves the outputs as they are. */
function refuseOtherChanges(stack: Stack, template: Template, imported: ReadonlySet<string>): void {
  if (!isDeepStrictEqual(template.Outputs ?? {}, stack.template.Outputs ?? {})) {
    throw new Refused("As part of the import operation, you cannot modify or add [Outputs]");
  }
  const before = stack.template.Resources;
  const ids = new Set([...Object.keys(before), ...Object.keys(template.Resources)]);
  for (const id of ids) {
    if (imported.has(id) && !(id in before)) continue;
    if (isDeepStrictEqual(before[id], template.Resources[id])) continue;
    throw new Refused(`You have modified resources [${id}] in your template that are not imported`);
  }
}

function refuseIncomplete(wanted: ResourceToImport, template: Template): void {
  const { LogicalResourceId: id, ResourceType, ResourceIdentifier } = wanted;
  const resource = template.Resources[id];
  if (resource?.Type !== ResourceType) {
    throw new Refused(`The template has no ${ResourceType} of the id ${id}`);
  }
  if (resource.DeletionPolicy === undefined) {
    throw new Refused(
      `The following resources to import [${id}] must have DeletionPolicy attribute specified in the template.`,
    );
  }
  if (!importable.has(ResourceType)) throw new Refused(`${ResourceType} cannot be imported`);
  if (!isDeepStrictEqual(Object.keys(ResourceIdentifier), identifierOf(ResourceType))) {
    throw new Refused(`${id} must be identified by ${identifierOf(ResourceType).join(" and ")}`);
  }
}

/** All types that can be imported here have one identifier, which is their physical id. */
function physicalIdOf({ ResourceIdentifier }: ResourceToImport): string {
  return Object.values(ResourceIdentifier)[0] ?? "";
}

function refuseOwned(physicalId: string, all: readonly Stack[]): void {
  const owner = all.find(
    (stack) =>
      isLiving(stack) && [...stack.resources.values()].some((one) => one.physicalId === physicalId),
  );
  if (owner === undefined) return;
  throw new Refused(`Resource ${physicalId} is already managed by stack ${owner.id}`);
}
