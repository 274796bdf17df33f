import { parse } from "yaml";
import type { Resource } from "../../infra/stack-template.ts";

export interface Template {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Parameters?: Readonly<Record<string, object>>;
  readonly Outputs?: Readonly<Record<string, { Value: unknown }>>;
}

/** The CDK command sends JSON or, for an import, YAML. */
export function readTemplate(text: string): Template {
  return parse(text);
}

/** Whether CloudFormation leaves the resource in the account when it leaves the stack. */
export function isKept({ DeletionPolicy }: Resource): boolean {
  return DeletionPolicy === "Retain" || DeletionPolicy === "RetainExceptOnCreate";
}

/** What the resources refer to and the template does not have. */
export function unresolvedIn({ Resources, Parameters = {} }: Template): string[] {
  const referred = Object.values(Resources).flatMap(({ Properties, DependsOn = [] }) => [
    ...[DependsOn].flat(),
    ...referencesIn(Properties),
  ]);
  const isKnown = (id: string) => id in Resources || id in Parameters || id.startsWith("AWS::");
  return [...new Set(referred)].filter((id) => !isKnown(id));
}

function referencesIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === "Ref") return [String(inner)];
    if (key === "Fn::GetAtt") return [String([inner].flat()[0]).split(".")[0] ?? ""];
    if (key === "Fn::Sub") return substitutedIn(inner);
    return referencesIn(inner);
  });
}

function substitutedIn(value: unknown): string[] {
  const [pattern, own = {}] = [value].flat();
  const names = [...String(pattern).matchAll(/\$\{([^!}.]+)[^}]*\}/g)].map(([, name = ""]) => name);
  return [...names.filter((name) => !(name in Object(own))), ...referencesIn(own)];
}
