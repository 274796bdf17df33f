import { describe, expect, test } from "vitest";
import type { Finding } from "../../tools/operations/check/finding.ts";
import { until } from "../end-to-end/running-stack.ts";
import { openConsole } from "../tools/console/open-console.ts";
import { useOperatedStack } from "../tools/operations/operated-stack.ts";

const operated = useOperatedStack();
const { shop } = operated;

/** Switches something of the Lab on for as long as the work takes. */
async function whileBroken(path: string, body: object, work: () => Promise<void>): Promise<void> {
  const { send } = await openConsole(operated.stack().description.console);
  await send(`/api/lab/${path}`, body);
  try {
    await work();
  } finally {
    await send("/api/lab/restore", {});
  }
}

/** A line of status, and a finding of check, once they say it. */
const untilStatus = (text: RegExp) =>
  until(`status to say ${text}`, async () => {
    const { out } = await operated.paycast("status");
    return text.test(out) ? out : undefined;
  });
const untilFound = (name: string, message: RegExp) =>
  until(`check of ${name} to say ${message}`, async () => {
    const findings: Finding[] = await operated.paycastJson("check");
    return findings.find((finding) => finding.check === name && message.test(finding.message));
  });

const minute = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\dZ";

describe("SQS fails", () => {
  test("status and check name SQS, not the keys, and what to wait for", async () => {
    const { body } = await shop().create("TROUBLE-1");
    await whileBroken("outages", { service: "sqs", isOn: true }, async () => {
      await shop().act(body.paymentId, "fail");
      await untilStatus(
        new RegExp(
          `^callbacks in .*no callback was stored since ${minute}, because SQS does not accept messages for the inbox \\(inbox-unavailable\\)`,
          "m",
        ),
      );
      const { status, action } = await untilFound("callbacks stored", /^No callback was stored/);
      expect(status).toBe("problem");
      expect(action).toMatch(
        /^Wait: .*SQS in the AWS Health Dashboard.* See: npx paycast requests --route callbacks --answer failed\. It is solved when npx paycast requests --route callbacks shows/,
      );
      expect(action).not.toContain("keys");
    });
    await operated.untilStored("TROUBLE-1", "failed");
  });
});

describe("DynamoDB fails", () => {
  test("check says that the table is the cause of orders that fail", async () => {
    await whileBroken("outages", { service: "dynamodb", isOn: true }, async () => {
      expect((await shop().create("TROUBLE-2")).status).toBe(503);
      const { message, action } = await untilFound("storefront", /DynamoDB/);
      expect(message).toContain("because DynamoDB does not respond as expected");
      expect(action).toContain("DynamoDB in the AWS Health Dashboard");
    });
    expect((await shop().create("TROUBLE-2")).status).toBe(201);
  });
});

describe("the payment service is away", () => {
  test("the minutes that are all bad are distinguished from the good ones before", async () => {
    await whileBroken("faults", { kind: "reset-connections" }, async () => {
      // The minute of the last order that was created has both.
      const { send } = await openConsole(operated.stack().description.console);
      await send("/api/lab/jump", { seconds: 60 });
      expect((await shop().create("TROUBLE-3")).status).toBeGreaterThanOrEqual(503);
      const text = `no order was created since ${minute}, because the payment service does not respond`;
      await untilStatus(new RegExp(`^storefront .*${text}`, "m"));
      const { message, action } = await untilFound(
        "storefront",
        /payment service does not respond/,
      );
      expect(message).toMatch(
        new RegExp(
          `^No order was created since ${minute}; the last success was at ${minute}\\. \\d of \\d orders of the last hour failed, .*because the payment service`,
        ),
      );
      expect(action).toMatch(/Contact the payment service\./);
    });
    expect((await shop().create("TROUBLE-3")).status).toBe(201);
    await until("status to say nothing of it", async () => {
      const { out } = await operated.paycast("status");
      return out.includes("no order was created") ? undefined : true;
    });
  });
});

describe("the payment service shortens a number", () => {
  test("both orders name each other, in order, in its data and in attention", async () => {
    const whole = `TROUBLE-${"0123456789".repeat(4)}`;
    const short = whole.slice(0, 32);
    await shop().fault("short-numbers", whole);
    const { body } = await shop().create(whole);
    await shop().act(body.paymentId, "pay");
    await until("the callbacks to be recorded under the short number", async () => {
      const { out } = await operated.paycast("order", short);
      return out.includes("success") ? true : undefined;
    });
    const { out: ofWhole } = await operated.paycast("order", whole);
    expect(ofWhole).toContain(`${short} is the number to which the service shortens this one.`);
    const { out: ofShort } = await operated.paycast("order", short);
    expect(ofShort).toContain(`${whole} is the full number.`);
    const { items } = await operated.paycastJson("attention", "list", "--order", whole);
    expect(items).toContainEqual(
      expect.objectContaining({
        kind: "shortened-number",
        detail: `Its callbacks name order ${short}.`,
      }),
    );
    const { view } = await openConsole(operated.stack().description.console);
    const { entries } = await view(`/api/orders/${whole}?attempts=yes`);
    const attempts = entries.filter(({ kind }: { kind: string }) => kind === "callback-attempt");
    expect(attempts.length).toBeGreaterThan(0);
    for (const { recordedUnder } of attempts) expect(recordedUnder).toBe(short);
  });
});
