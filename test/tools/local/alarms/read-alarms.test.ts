import { expect, test } from "vitest";
import { useStacks } from "../stack/stack-fixture.ts";

const fixture = useStacks();

const alarmOn = (Expression: string) => ({
  Type: "AWS::CloudWatch::Alarm",
  Properties: {
    Metrics: [
      { Id: "result", Expression },
      {
        Id: "failed",
        ReturnData: false,
        MetricStat: {
          Metric: { Namespace: "Paycast", MetricName: "Failed" },
          Period: 300,
          Stat: "Sum",
        },
      },
    ],
    EvaluationPeriods: 1,
    Threshold: 1,
    ComparisonOperator: "GreaterThanOrEqualToThreshold",
    TreatMissingData: "notBreaching",
  },
});

test("the local stack starts with the alarms of its template", async () => {
  const { alarms } = await fixture.start({ Broken: alarmOn("FILL(failed, 0)") });
  expect(alarms.map(({ name }) => name)).toEqual([`${fixture.stackName}-Broken`]);
});

test("the local stack does not start with an alarm that it cannot evaluate", async () => {
  await expect(fixture.start({ Broken: alarmOn("RUNNING_SUM(failed)") })).rejects.toThrow(
    /cannot evaluate the alarm Broken\. .*RUNNING_SUM/,
  );
});
