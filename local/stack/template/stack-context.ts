import type * as z from "zod";
import { createIdentify, type IdentifyOptions } from "./identify-resources.ts";
import {
  createResolver,
  evaluateCondition,
  type Identity,
  type Resolve,
} from "./resolve-intrinsics.ts";
import { type Resource, readProperties } from "./template.ts";

export interface DeclaredResource {
  readonly logicalId: string;
  readonly resource: Resource;
  readonly identity: Identity;
}

/** A template together with the values that its intrinsics refer to. */
export interface StackContext {
  readonly stackName: string;
  readonly resolve: Resolve;
  /** The resources of these types whose condition is true. */
  declared(...types: readonly string[]): DeclaredResource[];
  properties<Output>(schema: z.ZodType<Output>, declared: DeclaredResource): Output;
  /** After this call, references to the secret give this ARN. */
  setSecretArn(logicalId: string, arn: string): void;
}

export function createStackContext(options: Omit<IdentifyOptions, "secretArns">): StackContext {
  const { template, stackName } = options;
  const secretArns = new Map<string, string>();
  const identify = createIdentify({ ...options, secretArns });
  const resolve = createResolver({ template, stackName, identify });
  const isActive = ({ Condition }: Resource) =>
    Condition === undefined || evaluateCondition(Condition, template, resolve);
  return {
    stackName,
    resolve,
    declared: (...types) =>
      Object.entries(template.Resources)
        .filter(([, resource]) => types.includes(resource.Type) && isActive(resource))
        .map(([logicalId, resource]) => ({
          logicalId,
          resource,
          get identity() {
            return identify(logicalId);
          },
        })),
    properties: (schema, { logicalId, resource }) =>
      readProperties(schema, logicalId, resource.Type, resolve(resource.Properties)),
    setSecretArn: (logicalId, arn) => secretArns.set(logicalId, arn),
  };
}
