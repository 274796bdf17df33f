import {
  DefaultStackSynthesizer,
  type Environment,
  PermissionsBoundary,
  Stack,
  type StackProps,
} from "aws-cdk-lib";
import type { Construct } from "constructs";
import type { Environment as PaycastEnvironment } from "./config/environment-config.ts";
import type { PaycastProps } from "./config/paycast-props.ts";
import type { CodeOf } from "./lambda/paycast-function.ts";
import { Paycast } from "./paycast.ts";

interface PaycastStackProps {
  config: PaycastProps;
  codeOf: CodeOf;
  /** If absent, the deployer's credentials decide the account and region. */
  environment?: PaycastEnvironment | undefined;
}

/** A stack that contains only Paycast: what this repository deploys. */
export class PaycastStack extends Stack {
  constructor(scope: Construct, id: string, { config, codeOf, environment }: PaycastStackProps) {
    super(scope, id, { ...stackProps(environment?.qualifier), ...placeOf(environment) });
    // The CDK omits the id "Default" from logical ids, so resources have the same ids as without the construct.
    new Paycast(this, "Default", config, codeOf);
  }
}

/** The CDK command deploys only to this account and region, and rejects credentials of another account. */
function placeOf(environment: PaycastStackProps["environment"]): StackProps {
  if (environment === undefined) return {};
  const { account, region, tags, terminationProtection, permissionsBoundary: policy } = environment;
  const env: Environment = { ...(account && { account }), ...(region && { region }) };
  const boundary = policy && { permissionsBoundary: PermissionsBoundary.fromName(policy) };
  return { env, tags, terminationProtection, ...boundary };
}

/**
 * Omits the bootstrap parameter and rule, so that the template has only the stack's own resources. The CDK command
 * checks the version of the bootstrap stack itself.
 */
function stackProps(qualifier: string | undefined): StackProps {
  const synthesizer = new DefaultStackSynthesizer({
    generateBootstrapVersionRule: false,
    ...(qualifier !== undefined && { qualifier }),
  });
  const description = "Paycast: receives payment callbacks and sends typed events to SQS queues";
  // Assigned, because with exactOptionalPropertyTypes the library's class does not match its own interface.
  return Object.assign<StackProps, object>({ description }, { synthesizer });
}
