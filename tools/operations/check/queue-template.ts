import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { queueName } from "../template/resource-identity.ts";
import { resolverOf, type StackTemplate } from "../template/stack-template.ts";

export type QueueAttributes = Readonly<Record<string, string>>;

/** A queue as the template has it. */
export interface DeclaredQueue {
  readonly name: string;
  /** What the template sets, as SQS takes it. */
  readonly attributes: QueueAttributes;
  /** What the template sets to a value that is not known here, and why. */
  readonly unresolved: QueueAttributes;
}

/** Properties of the resource that are no attributes of the queue. */
const notAttributes = ["QueueName", "Tags"];

/** Undefined if the template has no queue at this URL. */
export function declaredQueue(stack: StackTemplate, url: string): DeclaredQueue | undefined {
  const { template, physicalIds } = stack;
  const logicalId = Object.keys(template.Resources).find((id) => physicalIds[id] === url);
  const resource = logicalId === undefined ? undefined : template.Resources[logicalId];
  if (resource === undefined) return undefined;
  const properties = Object.entries(resource.Properties).filter(
    ([property]) => !notAttributes.includes(property),
  );
  const policy = policyOf(stack, logicalId);
  const all = policy === undefined ? properties : [...properties, ["Policy", policy] as const];
  return { name: queueName(url), ...resolved(stack, all) };
}

/** The document of the policy that names the queue. */
function policyOf({ template }: StackTemplate, logicalId: string | undefined): unknown {
  const policies = Object.values(template.Resources).filter(
    ({ Type, Properties }) =>
      Type === "AWS::SQS::QueuePolicy" &&
      JSON.stringify(Properties["Queues"]).includes(JSON.stringify({ Ref: logicalId })),
  );
  return policies.at(-1)?.Properties["PolicyDocument"];
}

function resolved(
  stack: StackTemplate,
  properties: readonly (readonly [name: string, value: unknown])[],
): Omit<DeclaredQueue, "name"> {
  const resolve = resolverOf(stack);
  const attributes: Record<string, string> = {};
  const unresolved: Record<string, string> = {};
  for (const [property, value] of properties) {
    try {
      attributes[property] = attributeText(resolve(value));
    } catch (error) {
      if (!(error instanceof PaycastError)) throw error;
      unresolved[property] = error.message;
    }
  }
  return { attributes, unresolved };
}

function attributeText(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
