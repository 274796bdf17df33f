import { DefaultStackSynthesizer, Stack, type StackProps } from "aws-cdk-lib";
import { Alarm } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import { makeAuditLog } from "./audit-log.ts";
import { CallbackIntake } from "./callback-intake.ts";
import { CallbackProcessing } from "./callback-processing.ts";
import type { Config } from "./config.ts";
import { PaycastApi } from "./http-api.ts";
import { Inbox } from "./inbox.ts";
import { KeySecrets } from "./key-secrets.ts";
import type { CodeOf } from "./paycast-function.ts";
import { Reconciliation } from "./reconciliation.ts";
import { Records } from "./records.ts";
import { addOutputs } from "./stack-outputs.ts";
import { corsFor, StorefrontApi } from "./storefront.ts";
import { Subscribers } from "./subscribers.ts";

interface PaycastStackProps {
  config: Config;
  codeOf: CodeOf;
}

/** Everything Paycast runs in a merchant's account. */
export class PaycastStack extends Stack {
  constructor(scope: Construct, id: string, { config, codeOf }: PaycastStackProps) {
    super(scope, id, stackProps());
    const { gateway, storefront, concurrency } = config;
    const keys = new KeySecrets(this, "Keys", config);
    const records = new Records(this, "Records");
    const inbox = new Inbox(this, "Inbox");
    const subscribers = new Subscribers(this, "Subscribers", config);
    const api = new PaycastApi(this, "Http", { domain: config.domain, cors: corsFor(storefront) });
    const callbackUrl = `${api.url}/callbacks`;
    const { callbackKeys, requestKeys } = keys;

    const intake = new CallbackIntake(this, "Intake", { codeOf, config, callbackKeys, inbox, api });
    new CallbackProcessing(this, "Processing", { codeOf, config, inbox, records, subscribers });
    if (gateway) {
      const shared = { codeOf, gateway, storefront, concurrency, requestKeys, records, inbox };
      new StorefrontApi(this, "Storefront", { ...shared, api, callbackUrl });
      new Reconciliation(this, "Reconciliation", { codeOf, gateway, requestKeys, records, inbox });
    }
    if (config.alarms) this.notify(config.alarms.topicArn);
    const auditLog = makeAuditLog(this);
    addOutputs(this, { callbackUrl, api, inbox, records, keys, subscribers, intake, auditLog });
  }

  private notify(topicArn: string): void {
    for (const construct of this.node.findAll()) {
      if (!(construct instanceof Alarm)) continue;
      const action = { bind: () => ({ alarmActionArn: topicArn }) };
      construct.addAlarmAction(action);
      construct.addOkAction(action);
    }
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
