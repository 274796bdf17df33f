import { Alarm, type AlarmProps } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import { type RunbookSection, type Severity, severityOf } from "./alarm-rules.ts";

/** An alarm that knows its section of the runbook, and so who has to hear of it. */
export class PaycastAlarm extends Alarm {
  readonly severity: Severity;

  constructor(scope: Construct, id: string, section: RunbookSection, props: AlarmProps) {
    super(scope, id, props);
    this.severity = severityOf(section);
  }
}
