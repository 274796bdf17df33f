import type { IKey } from "aws-cdk-lib/aws-kms";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import type { PaycastConfig } from "./paycast-config.ts";

/** The fields of the config, and props that take other constructs of the app. */
export interface PaycastProps extends PaycastConfig {
  /**
   * Your own KMS key for the queues, tables, secrets and logs. A key of the same app also gets the policy statements that
   * it needs; docs/construct.md lists them for an imported key.
   * @default `encryptionKeyArn`, or keys that AWS manages
   */
  readonly encryptionKey?: IKey | undefined;
  /**
   * A topic that gets a message when an alarm goes off and when it ends. CloudWatch is allowed to publish to it.
   * @default `alarms`, or none
   */
  readonly alarmTopic?: ITopic | undefined;
  /**
   * A topic for the alarms that can wait until morning. `alarmTopic` then gets only those that page the operator.
   * @default `alarmTopic`
   */
  readonly morningAlarmTopic?: ITopic | undefined;
}
