import { describe, expect, test } from "vitest";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { GatewayError } from "../../../shared/gateway/gateway-error.ts";
import { jsonResponse } from "../../../shared/storefront/make-response.ts";
import { ProblemError } from "../../../shared/storefront/problem.ts";
import { respondWithLine, type Trail } from "../../../shared/storefront/storefront-line.ts";
import type { LogFields, Metrics } from "../../../shared/telemetry/log-line.ts";

type Line = readonly [fields: LogFields, metrics: Metrics | undefined];

/** The one line of a call that ends like this. */
async function lineOf(
  answer: Parameters<typeof respondWithLine>[2],
  trail: Trail = { fields: {}, metrics: {} },
): Promise<Line> {
  const lines: Line[] = [];
  let time = 1_000;
  const now = () => (time += 7);
  const log = (...line: [LogFields, Metrics?]) => void lines.push([line[0], line[1]]);
  await respondWithLine(trail, { now, log }, answer);
  expect(lines).toHaveLength(1);
  return lines[0] ?? [{ outcome: "failed" }, undefined];
}

const failing = (error: Error) => async () => {
  throw error;
};

test("a call that is answered counts as answered, with what was added during the call", async () => {
  const trail: Trail = { fields: { orderNo: "A" }, metrics: { PaymentUnknown: 1 } };
  const answer = async () => ({ outcome: "answered" as const, answer: jsonResponse(201, {}) });
  const [fields, metrics] = await lineOf(answer, trail);
  expect(fields).toMatchObject({ outcome: "answered", httpStatus: 201, orderNo: "A" });
  expect(fields.durationMilliseconds).toBe(7);
  expect(metrics).toEqual({ Answered: 1, PaymentUnknown: 1 });
});

describe("what failed is counted as one thing", () => {
  const refusal = { code: "40010", msg: "no" };

  test.each([
    ["a refusal of the service", new GatewayError("refused", { refusal }), { ServiceRefused: 1 }],
    ["a service that is busy", new GatewayError("busy"), { ServerFault: 1 }],
    ["a service that cannot be reached", new GatewayError("unreachable"), { ServerFault: 1 }],
    ["an error of our own", new PaycastError("keys-unreachable", "No keys."), { ServerFault: 1 }],
    ["an error that nobody expects", new TypeError("x"), { ServerFault: 1 }],
    [
      "a question about a payment that the service does not know",
      new ProblemError("payment-unknown"),
      { PaymentUnknown: 1 },
    ],
    ["a body that cannot be read", new ProblemError("body-invalid"), {}],
  ])("%s", async (_what, error, counted) => {
    const [, metrics] = await lineOf(failing(error));
    expect(metrics).toEqual({ Answered: 1, ...counted });
  });

  test.each(["timed-out", "unreadable"] as const)("an unknown outcome (%s)", async (failure) => {
    const [, metrics] = await lineOf(failing(new GatewayError(failure)));
    const counted = { ServerFault: 1, OutcomeUnknown: 1 };
    expect(metrics).toEqual({ Answered: 1, ...counted });
  });
});

test("the line has the service's code and not its words", async () => {
  const refusal = { code: "40010", msg: "a name of somebody" };
  const [fields] = await lineOf(failing(new GatewayError("refused", { refusal })));
  expect(fields).toMatchObject({ outcome: "problem", serviceCode: "40010" });
  expect(JSON.stringify(fields)).not.toContain("somebody");
});
