import { parse } from "yaml";
import type { Resource } from "../../infra/stack-template.ts";

export interface Template {
  readonly Resources: Readonly<Record<string, Resource>>;
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
