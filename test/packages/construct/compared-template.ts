import { plainId, type Resource, type StackTemplate } from "../../infra/stack-template.ts";

/** Of a policy, the order of actions and resources says nothing, and the CDK sorts it only with one of its flags. */
const setsOfPolicies = new Set(["Action", "Resource"]);

/**
 * The resources of a stack under the ids that they have without the construct around them, without tags and metadata,
 * and with STACK for the stack's name: what is left must be the same wherever the construct is used.
 */
export function comparable(
  template: StackTemplate,
  { stackName, constructId }: { stackName: string; constructId: string },
): Record<string, unknown> {
  const rename = (id: string) => commonId(id, stackName, constructId);
  const known = new Set(Object.keys(template.Resources));
  const visit = (value: unknown, key = ""): unknown => {
    if (typeof value === "string") {
      return known.has(value) ? rename(value) : value.replaceAll(stackName, "STACK");
    }
    if (Array.isArray(value)) {
      const visited = value.map((entry) => visit(entry));
      return setsOfPolicies.has(key) ? sorted(visited) : visited;
    }
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).filter(([name]) => name !== "Tags");
    return Object.fromEntries(entries.map(([name, entry]) => [name, visit(entry, name)]));
  };
  return Object.fromEntries(
    Object.entries(template.Resources).map(([id, resource]) => [
      rename(id),
      visit(withoutMetadata(resource)),
    ]),
  );
}

/** A permission of EventBridge has the path of its target in the middle of its id. */
function commonId(id: string, stackName: string, constructId: string): string {
  return plainId(id)
    .replace(new RegExp(`^${constructId}`), "")
    .replace(new RegExp(`AllowEventRule${stackName}(${constructId})?`), "AllowEventRule")
    .replace(/[0-9A-F]{8}$/, "");
}

function withoutMetadata({ Metadata, ...resource }: Resource): Omit<Resource, "Metadata"> {
  return resource;
}

function sorted(values: unknown[]): unknown[] {
  return [...values].sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}
