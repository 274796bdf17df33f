import { describe, expect, test } from "vitest";
import { resourceNamed, spell, synthesizeTemplate } from "./stack-template.ts";

const template = synthesizeTemplate();
const stage = resourceNamed(template, "HttpStage").Properties;

/** What API Gateway itself makes of a request. A caller decides none of these. */
const madeByApiGateway = [
  "$context.error.responseType",
  "$context.integration.integrationStatus",
  "$context.integration.latency",
  "$context.integration.requestId",
  "$context.integration.status",
  "$context.requestId",
  "$context.requestTimeEpoch",
  "$context.responseLatency",
  "$context.routeKey",
  "$context.status",
];

describe("the access log", () => {
  const format: Record<string, string> = JSON.parse(stage.AccessLogSettings.Format);

  test("holds nothing that a caller sent: no address, path, query, header or identity", () => {
    expect(Object.values(format).sort()).toEqual(madeByApiGateway);
  });

  test("says of each request the route, the status, the latency and the error, and leads to the function's lines", () => {
    expect(Object.keys(format)).toEqual(
      expect.arrayContaining(["route", "status", "latency", "error", "functionRequestId"]),
    );
  });

  test("is one JSON object in one line", () => {
    expect(stage.AccessLogSettings.Format).not.toContain("\n");
    expect(JSON.parse(stage.AccessLogSettings.Format)).toEqual(expect.any(Object));
  });

  test("goes to a log group that is kept for 90 days and named so that no policy of the account grows", () => {
    expect(spell(stage.AccessLogSettings.DestinationArn)).toBe("HttpAccessLog");
    const { Properties, DeletionPolicy } = resourceNamed(template, "HttpAccessLog");
    expect(Properties).toEqual({
      LogGroupName: "/aws/vendedlogs/Paycast-access",
      RetentionInDays: 90,
    });
    expect(DeletionPolicy).toBe("Delete");
  });

  test("is encrypted with the stack's own key if there is one", () => {
    const encryptionKeyArn = "arn:aws:kms:eu-west-1:123456789012:key/k-1";
    const stack = synthesizeTemplate({ encryptionKeyArn });
    expect(resourceNamed(stack, "HttpAccessLog").Properties.KmsKeyId).toBe(encryptionKeyArn);
  });
});
