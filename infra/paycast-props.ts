import { Stack, Token } from "aws-cdk-lib";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import type { Construct } from "constructs";
import { PaycastError } from "../shared/paycast-error.ts";
import { type Config, readConfig } from "./config.ts";
import type { PaycastConfig } from "./paycast-config.ts";

/** The config, and what only a CDK app can give: other constructs. */
export interface PaycastProps extends PaycastConfig {
  /**
   * A KMS key of your own for the queues, tables, secrets and logs. A key of the same app also gets the statements that
   * its policy needs; for an imported key, docs/construct.md has them.
   * @default `encryptionKeyArn`, or keys that AWS manages
   */
  readonly encryptionKey?: IKey | undefined;
  /**
   * A topic that gets a message for every alarm, and another one when it is over. CloudWatch is allowed to publish to it.
   * @default `alarms.topicArn`, or none
   */
  readonly alarmTopic?: ITopic | undefined;
}

/** Throws `config-invalid` with one line for each wrong prop. */
export function readProps(scope: Construct, props: PaycastProps): Config {
  const { encryptionKey, alarmTopic, ...input } = props;
  const { region } = Stack.of(scope);
  const read = readConfig(input, Token.isUnresolved(region) ? {} : { region });
  const faults = [...constructFaults(props), ...(read.faults ?? [])];
  if (read.faults || faults.length > 0) {
    const lines = faults.map((fault) => `\n  ${fault}`).join("");
    throw new PaycastError(
      "config-invalid",
      `${scope.node.path} has props that are wrong:${lines}`,
    );
  }
  return read.config;
}

function constructFaults(props: PaycastProps): string[] {
  const { encryptionKey, encryptionKeyArn, alarmTopic, alarms } = props;
  const faults: string[] = [];
  if (encryptionKey && encryptionKeyArn)
    faults.push("encryptionKeyArn must not be given beside encryptionKey");
  if (encryptionKey && "aliasName" in encryptionKey) {
    faults.push("encryptionKey must be a key, not an alias: permissions name keys");
  }
  if (alarmTopic && alarms) faults.push("alarms must not be given beside alarmTopic");
  if (alarmTopic?.fifo)
    faults.push("alarmTopic must be a standard topic: alarms cannot use a FIFO topic");
  return faults;
}
