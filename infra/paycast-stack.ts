import { DefaultStackSynthesizer, Stack, type StackProps } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { Paycast } from "./paycast.ts";
import type { CodeOf } from "./paycast-function.ts";
import type { PaycastProps } from "./paycast-props.ts";

interface PaycastStackProps {
  config: PaycastProps;
  codeOf: CodeOf;
}

/** A stack with Paycast in it and nothing else: what this repository deploys. */
export class PaycastStack extends Stack {
  constructor(scope: Construct, id: string, { config, codeOf }: PaycastStackProps) {
    super(scope, id, stackProps());
    // The CDK leaves the id "Default" out of logical ids, so resources have the same ids as without the construct.
    new Paycast(this, "Default", config, codeOf);
  }
}

/**
 * Leaves the bootstrap parameter and rule out of the template, so that it holds only the stack's own resources. The
 * CDK command checks the version of the bootstrap stack itself.
 */
function stackProps(): StackProps {
  const synthesizer = new DefaultStackSynthesizer({ generateBootstrapVersionRule: false });
  const description = "Paycast: receives payment callbacks and sends typed events to SQS queues";
  // Assigned, because with exactOptionalPropertyTypes the library's class does not match its own interface.
  return Object.assign<StackProps, object>({ description }, { synthesizer });
}
