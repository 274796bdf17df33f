import { Alarm, type AlarmProps, CfnAlarm } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import { type RunbookSection, type Severity, severityOf } from "./alarm-rules.ts";

/** Each alarm's text ends with this file and its section, unless the config has another address of it. */
export const runbookFile = "docs/runbook.md";

/** An alarm that knows its section of the runbook, and so who has to hear of it. */
export class PaycastAlarm extends Alarm {
  readonly severity: Severity;

  constructor(scope: Construct, id: string, section: RunbookSection, props: AlarmProps) {
    super(scope, id, props);
    this.severity = severityOf(section);
  }

  /** Changes the text that a person gets with the alarm. */
  describe(change: (description: string) => string): void {
    const resource = this.node.defaultChild;
    if (!(resource instanceof CfnAlarm)) return;
    resource.alarmDescription = change(resource.alarmDescription ?? "");
  }

  /** Makes the section of the runbook in its text a link. */
  linkRunbook(url: string): void {
    this.describe((text) => text.replace(`${runbookFile}#`, () => `${url}#`));
  }
}
