import { Duration, Stack } from "aws-cdk-lib";
import {
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Metric,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import type { FunctionName } from "../config/function-names.ts";
import { alarmRules, type RunbookSection, type SectionWith, severityOf } from "./alarm-rules.ts";
import { PaycastAlarm } from "./paycast-alarm.ts";

/** The texts of an alarm, for the person on call. */
export interface AlarmTexts<Section extends RunbookSection = SectionWith<"threshold">> {
  /** One sentence: what has happened. */
  meaning: string;
  /** One sentence: what to do first. */
  action: string;
  /** The section of docs/runbook.md. `alarmRules` has its numbers. */
  runbook: Section;
}

/** The numbers of an alarm that the rule of its section does not have. */
interface OwnNumbers {
  /** The alarm starts when the metric reaches this value. */
  threshold: number;
  minutes?: number;
}

type AlarmCause = AlarmTexts | (AlarmTexts<RunbookSection> & OwnNumbers);

type AlarmProps = AlarmCause & {
  /** Its period is the one of the rule, whichever it had. */
  metric: Metric | MathExpression;
  /** By default silence is no alarm: most metrics are written only when there is something to count. */
  missingData?: TreatMissingData;
};

/** The alarm's description says what it means, whether it can wait for the morning, and names its runbook section. */
export function addAlarm(scope: Construct, id: string, props: AlarmProps): PaycastAlarm {
  const { meaning, action, runbook } = props;
  const { threshold, minutes } = numbersOf(props);
  return new PaycastAlarm(scope, id, runbook, {
    metric: props.metric.with({ period: Duration.minutes(minutes) }),
    threshold,
    evaluationPeriods: 1,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: props.missingData ?? TreatMissingData.NOT_BREACHING,
    alarmDescription: `${meaning} ${action} Severity: ${severityOf(runbook)}. Runbook: docs/runbook.md#${runbook}`,
  });
}

function numbersOf(cause: AlarmCause): Required<OwnNumbers> {
  if (!("threshold" in cause)) return alarmRules[cause.runbook];
  const { threshold, minutes = alarmRules[cause.runbook].minutes } = cause;
  return { threshold, minutes };
}

/** Of the dashboard's graphs. Each alarm has the period of its rule. */
export const graphPeriod = Duration.minutes(5);

interface OutcomeOptions {
  statistic?: string;
  merchantId?: string;
}

/** How often a function counted an outcome, for all merchants or for one. */
export function outcomeMetric(
  scope: Construct,
  service: FunctionName,
  metricName: string,
  { statistic = "Sum", merchantId }: OutcomeOptions = {},
): Metric {
  return new Metric({
    namespace: metricsNamespace(scope),
    metricName,
    dimensionsMap: { service, ...(merchantId !== undefined && { merchantId }) },
    statistic,
    period: graphPeriod,
  });
}

/** Counts an outcome, and rings at the threshold of its rule: mostly at the first one. */
export function alarmOnAny(
  scope: Construct,
  id: string,
  service: FunctionName,
  outcome: string,
  texts: AlarmTexts,
): PaycastAlarm {
  return addAlarm(scope, id, { metric: outcomeMetric(scope, service, outcome), ...texts });
}

interface ShareProps {
  /** Expressions over the metrics below. */
  part: string;
  whole: string;
  metrics: Record<string, IMetric>;
  /** Its rule has `fewest`: with fewer requests the share counts as 0, since one could be 100 %. */
  runbook: SectionWith<"fewest">;
  label: string;
}

/** The part as a percentage of the whole. */
export function shareMetric(props: ShareProps): MathExpression {
  const { part, whole, metrics, runbook, label } = props;
  return new MathExpression({
    expression: `IF((${whole}) >= ${alarmRules[runbook].fewest}, 100 * ${part} / (${whole}), 0)`,
    usingMetrics: metrics,
    label: `${label}, in percent`,
  });
}

/** The stack's name, so that two stacks in one account do not trigger each other's alarms. */
export function metricsNamespace(scope: Construct): string {
  return Stack.of(scope).stackName;
}

/** One problem is enough: warm instances still use cached keys, but the next cold start has none. */
export function alarmOnKeys(scope: Construct, service: FunctionName): void {
  alarmOnAny(scope, `KeysAlarm-${service}`, service, "KeysProblem", {
    meaning: `${service} could not read or understand the current keys of a merchant, or the stamp key.`,
    action: "Its line keys-problem names the secret: set a right value, or restore the access.",
    runbook: "keys-problem",
  });
}

interface Counted {
  readonly service: FunctionName;
  readonly outcome: string;
  /** Without it, callbacks of all merchants count. */
  readonly merchantId?: string;
  readonly label: string;
}

/** What receive-callback counts of callbacks that are as they should be, and the end of a graph's label. */
const goodSigns = {
  Accepted: "and none accepted",
  VerifiedByCurrent: "and none verified by the current keys",
};

/**
 * How often it happened in the alarm's period, or 0 if there was a good sign in the same time. CloudWatch fills the gaps
 * of a metric, but an expression over a metric without any data has no value, and the alarm stays silent. So whoever
 * writes the count writes a 0 of the good sign beside it, with the same dimensions (shared/receiving/callback-line.ts,
 * shared/reconciling/run-line.ts).
 */
export function countUnless(
  scope: Construct,
  goodSign: keyof typeof goodSigns,
  counted: Counted,
): MathExpression {
  const { service, outcome, label, ...ofMerchant } = counted;
  return new MathExpression({
    expression: "IF(FILL(good, 0) == 0, FILL(counted, 0), 0)",
    usingMetrics: {
      counted: outcomeMetric(scope, service, outcome, ofMerchant),
      good: outcomeMetric(scope, "receive-callback", goodSign, ofMerchant),
    },
    label: `${label}, ${goodSigns[goodSign]}`,
  });
}

const options = { statistic: "Maximum" };

/**
 * Messages that nobody received for too long. SQS's metric ignores messages that were received several times.
 * alarm-rules.ts has the thresholds; a subscriber's is `maxWaitMinutes` of the config.
 */
export function alarmOnAge(scope: Construct, queue: Queue, cause: AlarmCause) {
  addAlarm(scope, "AgeAlarm", {
    metric: queue.metricApproximateAgeOfOldestMessage(options),
    ...cause,
  });
}

/** A dead letter always needs a person: one alarm when it arrives, one before it expires (alarm-rules.ts says when). */
export function alarmOnDeadLetters(
  scope: Construct,
  deadLetters: Queue,
  owner: string,
  texts: AlarmTexts,
) {
  addAlarm(scope, "DeadLettersAlarm", {
    metric: deadLetters.metricApproximateNumberOfMessagesVisible(options),
    ...texts,
  });
  addAlarm(scope, "ExpiringAlarm", {
    metric: deadLetters.metricApproximateAgeOfOldestMessage(options),
    meaning: `A dead letter of ${owner} is ten days old, and SQS deletes it after 14 days.`,
    action: "Redrive it now, or copy it to a safe place.",
    runbook: "dead-letters-expiring",
  });
}
