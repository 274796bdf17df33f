import type { IKey } from "aws-cdk-lib/aws-kms";
import type { ITopic } from "aws-cdk-lib/aws-sns";
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
   * @default `alarms`, or none
   */
  readonly alarmTopic?: ITopic | undefined;
  /**
   * A topic for the alarms that can wait for the morning. Then `alarmTopic` gets only those that should wake a person.
   * @default `alarmTopic`
   */
  readonly morningAlarmTopic?: ITopic | undefined;
}
