import { Alarm, type AlarmProps, CfnAlarm } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import { type RunbookSection, type Severity, severityOf } from "./alarm-rules.ts";

/** Each alarm's description ends with this file and a section, unless the config sets `alarms.runbookUrl`. */
export const runbookFile = "docs/runbook.md";

/**
 * An alarm with its severity, which its section of the runbook determines.
 *
 * @example
 * ```ts
 * import type { IAlarmAction } from "aws-cdk-lib/aws-cloudwatch";
 * import type { Paycast } from "paycast";
 *
 * export function page(paycast: Paycast, pager: IAlarmAction) {
 *   const urgent = paycast.alarms.filter(({ severity }) => severity === "wake");
 *   for (const alarm of urgent) alarm.addAlarmAction(pager);
 * }
 * ```
 */
export class PaycastAlarm extends Alarm {
  readonly severity: Severity;

  constructor(scope: Construct, id: string, section: RunbookSection, props: AlarmProps) {
    super(scope, id, props);
    this.severity = severityOf(section);
  }

  /** @internal Changes the alarm's description. */
  describe(change: (description: string) => string): void {
    const resource = this.node.defaultChild;
    if (!(resource instanceof CfnAlarm)) return;
    resource.alarmDescription = change(resource.alarmDescription ?? "");
  }

  /** @internal Turns the runbook section in the description into a link. */
  linkRunbook(url: string): void {
    this.describe((text) => text.replace(`${runbookFile}#`, () => `${url}#`));
  }
}
