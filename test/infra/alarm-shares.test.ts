import { describe, expect, test } from "vitest";
import { evaluate } from "./alarm-shapes.ts";
import { plainId, resourcesOf, synthesizeTemplate } from "./stack-template.ts";

const callbacks = { sourceAddresses: ["203.0.113.0/24"] };
const alarms = resourcesOf(synthesizeTemplate({ callbacks }), "AWS::CloudWatch::Alarm");

describe("an alarm on a share", () => {
  const rings = (id: string, values: Record<string, number>) => {
    const [, alarm] = alarms.find(([key]) => plainId(key) === id)!;
    return evaluate(alarm, values) >= alarm.Properties.Threshold;
  };

  test("rings when a quarter of at least three callbacks of a merchant was refused", () => {
    const id = "IntakeRefusedAlarmM1";
    expect(rings(id, { refused: 1, accepted: 3 })).toBe(true);
    expect(rings(id, { refused: 1, accepted: 4 })).toBe(false);
    expect(rings(id, { refused: 2 })).toBe(false);
    expect(rings(id, { refused: 3 })).toBe(true);
    expect(rings(id, { accepted: 10 })).toBe(false);
  });

  test.each(["IntakeAllRefusedAlarmM1", "IntakeAllSourcesAlarm"])(
    "%s rings for a quiet shop, of which all callbacks are refused",
    (id) => {
      expect(rings(id, { counted: 3 })).toBe(true);
      expect(rings(id, { counted: 2 })).toBe(false);
      expect(rings(id, { counted: 30, accepted: 1 })).toBe(false);
      expect(rings(id, { accepted: 3 })).toBe(false);
      expect(rings(id, {})).toBe(false);
    },
  );

  test.each(["StorefrontFaultsAlarmcreateorder", "StorefrontRefusedAlarm"])(
    "%s rings when a quarter of at least three answers failed",
    (id) => {
      expect(rings(id, { failed: 1, answered: 4 })).toBe(true);
      expect(rings(id, { failed: 1, answered: 5 })).toBe(false);
      expect(rings(id, { failed: 2, answered: 2 })).toBe(false);
      expect(rings(id, { answered: 9 })).toBe(false);
    },
  );

  test("rings when half of at least a hundred requests were refused", () => {
    const id = "HttpClientErrorsAlarm";
    expect(rings(id, { refused: 50, requests: 100 })).toBe(true);
    expect(rings(id, { refused: 49, requests: 100 })).toBe(false);
    expect(rings(id, { refused: 99, requests: 99 })).toBe(false);
  });

  test("rings when a quarter of at least three requests failed", () => {
    const id = "HttpServerErrorsAlarm";
    expect(rings(id, { failed: 1, requests: 4 })).toBe(true);
    expect(rings(id, { failed: 1, requests: 5 })).toBe(false);
    expect(rings(id, { failed: 2, requests: 2 })).toBe(false);
  });

  test("rings when half of at least three questions had no usable answer, whatever the reason", () => {
    const id = "ReconciliationFailingAlarm";
    expect(rings(id, { asked: 6, failed: 1, refused: 1, unreadable: 1 })).toBe(true);
    expect(rings(id, { asked: 7, failed: 1, refused: 1, unreadable: 1 })).toBe(false);
    for (const reason of ["failed", "refused", "unreadable"]) {
      expect(rings(id, { asked: 3, [reason]: 3 })).toBe(true);
      expect(rings(id, { asked: 2, [reason]: 2 })).toBe(false);
    }
    expect(rings(id, { asked: 100 })).toBe(false);
    expect(rings(id, {})).toBe(false);
  });

  test("rings when questions find how orders ended and no callback comes", () => {
    const id = "ReconciliationMissingCallbacksAlarm";
    expect(rings(id, { counted: 3 })).toBe(true);
    expect(rings(id, { counted: 2 })).toBe(false);
    expect(rings(id, { counted: 30, accepted: 1 })).toBe(false);
    expect(rings(id, {})).toBe(false);
  });

  test("counts crashes and throttles together", () => {
    const id = "StorefrontQueryOrderErrors";
    expect(rings(id, { throttles: 1 })).toBe(true);
    expect(rings(id, { errors: 1 })).toBe(true);
    expect(rings(id, {})).toBe(false);
  });
});
