import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AppProps } from "aws-cdk-lib";
import { inject } from "vitest";
import { type ConfigInput, parseConfig } from "../../infra/config/config-schema.ts";
import type { FunctionName } from "../../infra/config/function-names.ts";
import { PaycastStack } from "../../infra/paycast-stack.ts";
import { createApp } from "../../infra/synthesize.ts";
import { temporaryFolder } from "../setup/temporary-folder.ts";

export type Resource = {
  Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a template is whatever CloudFormation allows
  Properties: any;
  DeletionPolicy?: string;
  UpdateReplacePolicy?: string;
  DependsOn?: string[];
  Metadata?: Record<string, unknown>;
};

export type StackTemplate = {
  Resources: Record<string, Resource>;
  Outputs: Record<string, { Value: unknown; Description: string }>;
};

const sampleConfig: ConfigInput = {
  merchants: ["M1", "M2"],
  subscribers: [
    { name: "fulfilment", types: ["payment.order.success"] },
    { name: "analytics", types: ["*"], ordered: false },
  ],
  gateway: { baseUrl: "https://payments.example.com" },
  operators: ["arn:aws:iam::123456789012:role/on-call"],
  alarms: { topicArn: "arn:aws:sns:eu-west-1:123456789012:on-call" },
};

/** The options that add resources which nobody misses after a day. */
export const smokeAndCapture = { smoke: true, callbacks: { captureUntil: "2020-01-31" } };

type Changes = { [K in keyof ConfigInput]?: ConfigInput[K] | undefined };

/** The stack's template with stub functions in place of the bundles. It is made once in a run for each config. */
export function synthesizeTemplate(changes: Changes = {}, app?: AppProps): StackTemplate {
  if (app !== undefined) return synthesizeAnew(changes, app);
  // A field that is taken away counts as well.
  const text = JSON.stringify(changes, (_key, value) => (value === undefined ? null : value));
  const key = createHash("sha256").update(text).digest("hex");
  const file = join(inject("folder"), `template-${key}.json`);
  if (!existsSync(file)) {
    const template = synthesizeAnew(changes, { builtinCloudFormationValidation: false });
    // Renamed when it is whole: another worker may read it at the same time.
    writeFileSync(`${file}.${process.pid}`, JSON.stringify(template));
    renameSync(`${file}.${process.pid}`, file);
  }
  return JSON.parse(readFileSync(file, "utf8"));
}

function synthesizeAnew(changes: Changes, app: AppProps): StackTemplate {
  const folder = temporaryFolder("template");
  const paycast = createApp({ outdir: join(folder, "cdk.out"), ...app });
  const config = parseConfig({ ...sampleConfig, ...changes });
  new PaycastStack(paycast, "Paycast", { config, codeOf: (name) => stub(folder, name) });
  return paycast.synth().getStackByName("Paycast").template;
}

/** A folder with a function that does nothing. */
export function stub(folder: string, name: FunctionName): string {
  const directory = join(folder, name);
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "index.mjs"), `export const handler = () => "${name}";\n`);
  return directory;
}

export function resourcesOf(template: StackTemplate, type: string): [string, Resource][] {
  return Object.entries(template.Resources).filter(([, resource]) => resource.Type === type);
}

/** A logical id without the hash that CDK puts behind it. */
export function plainId(logicalId: string): string {
  return logicalId.replace(/[0-9A-F]{8}$/, "");
}

export function resourceNamed(template: StackTemplate, id: string): Resource {
  const found = Object.entries(template.Resources).filter(([key]) => plainId(key) === id);
  if (found.length !== 1) throw new Error(`${found.length} resources are called ${id}`);
  return found[0]![1];
}

const functionIds: Record<FunctionName, string> = {
  "receive-callback": "IntakeReceiveCallback",
  "process-callback": "ProcessingProcessCallback",
  "count-attention": "AttentionCountAttention",
  "create-order": "StorefrontCreateOrder",
  "query-order": "StorefrontQueryOrder",
  "reconcile-orders": "ReconciliationReconcileOrders",
};

export function functionNamed(template: StackTemplate, name: FunctionName): Resource {
  return resourceNamed(template, `${functionIds[name]}Function`);
}

/** An intrinsic in words: the plain id of what it refers to, exactly with the attribute of that, or the text it makes. */
export function spell(value: unknown, isExact = false): string {
  if (typeof value !== "object" || value === null) return String(value);
  const [[intrinsic, argument]] = Object.entries(value) as [[string, unknown]];
  if (intrinsic === "Ref") return plainId(String(argument));
  if (intrinsic === "Fn::GetAtt") {
    const [id, attribute] = argument as [string, string];
    return isExact ? `${plainId(id)}.${attribute}` : plainId(id);
  }
  if (intrinsic === "Fn::Join") {
    const [, parts] = argument as [string, unknown[]];
    return parts.map((part) => spell(part, isExact)).join("");
  }
  throw new Error(`cannot spell ${intrinsic}`);
}

/** The stack with plain ids, and with each reference in words. */
export function stackInWords(changes: Changes = {}): StackTemplate {
  return inWords(synthesizeTemplate(changes));
}

export function inWords({ Resources, ...template }: StackTemplate): StackTemplate {
  const named = Object.entries(Resources).map(([id, { DependsOn, ...resource }]) => {
    const before = DependsOn && { DependsOn: DependsOn.map(plainId) };
    return [plainId(id), { ...(spellWithin(resource) as Resource), ...before }] as const;
  });
  const words = Object.fromEntries(named);
  if (Object.keys(words).length !== named.length) throw new Error("two plain ids are the same");
  // People copy outputs, so an ARN must not pass for a URL there.
  return { ...(spellWithin(template, true) as StackTemplate), Resources: words };
}

function spellWithin(value: unknown, isExact = false): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((element) => spellWithin(element, isExact));
  const entries = Object.entries(value);
  if (entries.length === 1 && /^(Ref|Fn::GetAtt|Fn::Join)$/.test(entries[0]![0])) {
    return spell(value, isExact);
  }
  return Object.fromEntries(entries.map(([key, inner]) => [key, spellWithin(inner, isExact)]));
}

/** The properties of all resources of a type, by their ids. */
// biome-ignore lint/suspicious/noExplicitAny: a template is whatever CloudFormation allows
export function propertiesOf(template: StackTemplate, type: string): Record<string, any> {
  const found = resourcesOf(template, type).map(([id, { Properties = {} }]) => [id, Properties]);
  return Object.fromEntries(found);
}

/** What outlives the stack, but not a first deployment that fails. */
export const keptOnceMade = (id: string) => `${id}: RetainExceptOnCreate, Retain`;
export const deletedWithStack = (id: string) => `${id}: Delete, Delete`;

/** What happens to each resource of a type when it is removed, and when it is replaced. */
export function endsOf(template: StackTemplate, type: string): string[] {
  const ends = resourcesOf(template, type).map(
    ([id, { DeletionPolicy, UpdateReplacePolicy }]) =>
      `${id}: ${DeletionPolicy}, ${UpdateReplacePolicy}`,
  );
  return ends.sort();
}

type Statement = {
  Effect: string;
  Action: string | string[];
  Resource: unknown;
  Condition?: object;
};

function statementsOf(template: StackTemplate, name: FunctionName): Statement[] {
  const role = resourceNamed(template, spell(functionNamed(template, name).Properties.Role));
  return role.Properties.Policies.flatMap(
    (policy: { PolicyDocument: { Statement: Statement[] } }) => policy.PolicyDocument.Statement,
  );
}

/** Every action on every resource, one line each, with its condition. */
export function permissionsOf(template: StackTemplate, name: FunctionName): string[] {
  return statementsOf(template, name)
    .flatMap(({ Effect, Action, Resource, Condition }) => {
      const onlyIf = Effect === "Deny" || !Condition ? "" : ` if ${JSON.stringify(Condition)}`;
      return [Action]
        .flat()
        .flatMap((action) =>
          [Resource].flat().map((on) => `${Effect} ${action} ${spell(on)}${onlyIf}`),
        );
    })
    .sort();
}
