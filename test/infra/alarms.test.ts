import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { plainId, type Resource, resourcesOf, synthesizeTemplate } from "./stack-template.ts";

const template = synthesizeTemplate();
const alarms = resourcesOf(template, "AWS::CloudWatch::Alarm");
const runbook = readFileSync(new URL("../../docs/runbook.md", import.meta.url), "utf8");

function runbookSection({ Properties }: Resource): string | undefined {
  return /Runbook: docs\/runbook\.md#([a-z-]+)$/.exec(Properties.AlarmDescription)?.[1];
}

/** What an alarm watches: `namespace/metric service`, for each metric of it. */
function watchedBy({ Properties }: Resource): string[] {
  type Metric = { Namespace: string; MetricName: string; Dimensions: { Value: unknown }[] };
  type Entry = { MetricStat?: { Metric: Metric } };
  const metrics: Metric[] = Properties.Metrics
    ? Properties.Metrics.flatMap((entry: Entry) => entry.MetricStat?.Metric ?? [])
    : [Properties];
  return metrics
    .map(({ Namespace, MetricName, Dimensions }) => {
      const [{ Value }] = Dimensions as [{ Value: unknown }];
      const subject =
        typeof Value === "string" ? Value : plainId(Object.values(Value as object).flat()[0]);
      return `${Namespace}/${MetricName} ${subject}`;
    })
    .sort();
}

describe("the alarms", () => {
  it("watch everything that a person has to know of", () => {
    const watched = alarms.map(([, alarm]) => watchedBy(alarm).join(" + ")).sort();
    const errorsOf = (id: string) =>
      `AWS/Lambda/Errors ${id}Function + AWS/Lambda/Throttles ${id}Function`;
    const fromReceive = (names: string[]) =>
      names.map((name) => `Paycast/${name} receive-callback`).join(" + ");
    expect(watched).toEqual(
      [
        "AWS/SQS/ApproximateNumberOfMessagesVisible InboxMessagesDeadLetters",
        "AWS/SQS/ApproximateAgeOfOldestMessage InboxMessagesQueue",
        "AWS/SQS/ApproximateNumberOfMessagesVisible SubscribersfulfilmentDeadLetters",
        "AWS/SQS/ApproximateNumberOfMessagesVisible SubscribersanalyticsDeadLetters",
        "Paycast/OldestPendingSeconds deliver-pending",
        fromReceive(["Accepted", "NotAnEnvelope", "NotAuthentic", "TooLarge"]),
        fromReceive(["NotStored"]),
        "Paycast/Conflict process-callback",
        "Paycast/Mismatch process-callback",
        "Paycast/DuplicatePayment process-callback",
        errorsOf("IntakeReceiveCallback"),
        errorsOf("ProcessingProcessCallback"),
        errorsOf("PendingDeliverPending"),
        errorsOf("StorefrontCreateOrder"),
        errorsOf("StorefrontQueryOrder"),
      ].sort(),
    );
  });

  it("are silent when nothing is counted, except for the function that reports every minute", () => {
    for (const [id, { Properties }] of alarms) {
      const expected = plainId(id) === "PendingOldestAlarm" ? "breaching" : "notBreaching";
      expect(Properties.TreatMissingData, id).toBe(expected);
    }
  });

  it.each(alarms)(
    "%s says what it means and what to do, and names a section of the runbook",
    (_, alarm) => {
      const section = runbookSection(alarm);
      expect(runbook).toContain(`\n## ${section}\n`);
      const sentences = alarm.Properties.AlarmDescription.split(/\.\s/);
      expect(sentences.length).toBeGreaterThanOrEqual(3);
      expect(alarm.Properties.AlarmDescription.length).toBeLessThanOrEqual(1024);
    },
  );

  it("leave no section of the runbook without an alarm", () => {
    const sections = [...runbook.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    expect(new Set(sections)).toEqual(new Set(alarms.map(([, alarm]) => runbookSection(alarm))));
  });

  it("ring when a quarter of at least three requests was refused", () => {
    const refused = alarms.find(([, alarm]) => runbookSection(alarm) === "callbacks-refused")![1];
    const [{ Expression }] = refused.Properties.Metrics;
    const share = (refused: number, accepted: number) =>
      new Function("IF", "refused", "accepted", `return ${Expression}`)(
        (condition: boolean, then: number, otherwise: number) => (condition ? then : otherwise),
        refused,
        accepted,
      );
    const rings = (percent: number) => percent >= refused.Properties.Threshold;
    expect(rings(share(1, 3))).toBe(true);
    expect(rings(share(1, 4))).toBe(false);
    expect(rings(share(2, 0))).toBe(false);
    expect(rings(share(3, 0))).toBe(true);
  });

  it("tell nobody by themselves, and the configured topic when there is one", () => {
    for (const [, { Properties }] of alarms) expect(Properties).not.toHaveProperty("AlarmActions");
    const topicArn = "arn:aws:sns:eu-west-1:123456789012:on-call";
    const notifying = synthesizeTemplate({ alarms: { topicArn } });
    for (const [, { Properties }] of resourcesOf(notifying, "AWS::CloudWatch::Alarm")) {
      expect(Properties).toMatchObject({ AlarmActions: [topicArn], OKActions: [topicArn] });
    }
  });
});
