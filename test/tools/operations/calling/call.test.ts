import { spawn } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { text } from "node:stream/consumers";
import { describe, expect, test, vi } from "vitest";
import { GatewayError } from "../../../../shared/gateway/gateway-error.ts";
import { noGateway } from "../../../../tools/operations/aws/unavailable.ts";
import { planCall } from "../../../../tools/operations/calling/call.ts";
import { callService } from "../../../../tools/operations/calling/call-service.ts";
import { available } from "../../../../tools/operations/ports/available.ts";
import { command } from "../../../setup/command.ts";
import { writtenFile } from "../../cli/run-paycast.ts";
import { useOperatedStack } from "../operated-stack.ts";
import { withoutAudit } from "../test-target.ts";

const operated = useOperatedStack();
const { auditLines } = operated;
const queryPath = "/payment/api/v1/payment-order/query";
const createPath = "/payment/api/v1/payment-order";

const call = async (method: string, path: string, body: object, ...flags: string[]) =>
  await operated.paycast(
    "call",
    method,
    path,
    "--body",
    writtenFile(JSON.stringify(body)),
    ...flags,
  );
const callJson = async (method: string, path: string, body: object) => {
  const { code, out } = await call(method, path, body, "--yes", "--json");
  return { code, ...JSON.parse(out) };
};
const newPayment = async () => {
  const orderNo = `call-${randomUUID()}`;
  const { body } = await operated.shop().create(orderNo);
  return { orderNo, paymentId: String(body.paymentId) };
};

describe("a call that is only previewed", () => {
  test("shows method, address, merchant and body, and sends and logs nothing", async () => {
    const before = auditLines().length;
    const { code, out } = await call("service.trade.refund", "/payment/api/v1/refund", {
      refundAmount: "1.00",
    });
    const { baseUrl } = available(operated.target().stack.gateway);
    expect(out).toContain("method    service.trade.refund\n");
    expect(out).toContain(`url       ${baseUrl}/payment/api/v1/refund\n`);
    expect(out).toContain("merchant  shop-1\n");
    expect(out).toContain('{\n  "refundAmount": "1.00"\n}\n');
    expect(out).toMatch(/Nothing was changed\..+--yes\.\n$/);
    expect(code).toBe(0);
    expect(auditLines()).toHaveLength(before);
  });

  test("shows no character that a terminal would obey", async () => {
    const { out } = await call("m", "/p", { orderNo: "a\u001b[2Jb\u0085c\u202ed\u007f" });
    for (const control of ["\u001b", "\u0085", "\u202e", "\u007f"])
      expect(out).not.toContain(control);
    expect(out).toContain('"orderNo": "a\\u001b[2Jb\ufffdc\ufffdd\ufffd"');
  });
});

describe("a call", () => {
  test("asks for a payment and shows the answer", async () => {
    const { orderNo, paymentId } = await newPayment();
    const result = await callJson("service.trade.query", queryPath, { paymentId });
    expect(result).toMatchObject({
      code: "20000",
      outcome: "done",
      msg: "SUCCESS",
      data: { status: "pending", referOrderNo: orderNo },
    });
    const { code, out } = await call("service.trade.query", queryPath, { paymentId }, "--yes");
    expect(out).toMatch(
      /^outcome {2}done\n[\s\S]+code +20000\nmsg +SUCCESS\ndata +as follows\n\n\{\n {2}"status"/,
    );
    expect(code).toBe(0);
  });

  test("leaves a line that identifies the body and does not hold it", async () => {
    const { paymentId } = await newPayment();
    await callJson("service.trade.query", queryPath, { paymentId });
    const line = auditLines().at(-1) ?? "";
    const bodySha256 = createHash("sha256").update(JSON.stringify({ paymentId })).digest("hex");
    expect(JSON.parse(line)).toMatchObject({
      act: "call",
      method: "service.trade.query",
      path: queryPath,
      merchantId: "shop-1",
      bodySha256,
    });
    expect(line).not.toContain(paymentId);
  });

  test("that the service refuses ends with its code and exit code 4", async () => {
    const { code, out } = await call(
      "service.trade.query",
      queryPath,
      { paymentId: "none" },
      "--yes",
    );
    expect(out).toMatch(/^outcome {2}refused\n/);
    expect(out).toMatch(/^code +[1-9]\d{4}$/m);
    expect(code).toBe(4);
  });

  test("whose answer is lost has an unknown outcome", async () => {
    const orderNo = `lost-${randomUUID()}`;
    await operated.shop().fault("reset-connections", orderNo, { when: "after", times: 5 });
    const now = Date.now();
    const goods = { referenceGoodsId: "tea", goodsName: "Tea", goodsAmount: 1, goodsQuantity: 1 };
    const body = {
      order: { orderNo, orderAmount: 1, goods: [goods] },
      channel: "WEB",
      paymentAmount: 1,
      currency: "EUR",
      paymentTime: now,
      paymentExpiryTime: now + 1_800_000,
    };
    const { code, out } = await call("service.trade.create", createPath, body, "--yes");
    expect(out).toMatch(/^outcome {2}unknown\n/);
    expect(out).toContain(
      "it may have acted. Check with the payment service before you send it again.",
    );
    expect(code).toBe(4);
    const { orders } = await operated.shop().control("GET", "/orders");
    expect(orders.filter((order: { orderNo: string }) => order.orderNo === orderNo)).toHaveLength(
      1,
    );
    await operated.shop().control("DELETE", "/faults");
  });

  test.each([
    ["service.trade.refund", 1],
    ["service.trade.query", 3],
  ])("%s without an answer is sent %i times", async (method, times) => {
    const post = vi.fn(async () => {
      throw new GatewayError("timed-out");
    });
    const plan = planCall(operated.target(), { method, path: "/p", body: "{}" });
    const result = await callService(operated.target(), plan, post);
    expect(result).toMatchObject({ outcome: "unknown" });
    expect(post).toHaveBeenCalledTimes(times);
  });

  test("to a service that cannot be reached was not sent", async () => {
    const { stack } = operated.target();
    const gateway = { ...available(stack.gateway), baseUrl: "http://127.0.0.1:9" };
    const target = { ...operated.target(), stack: { ...stack, gateway } };
    const plan = planCall(target, { method: "m", path: "/p", body: "{}" });
    expect(await callService(target, plan)).toMatchObject({ outcome: "not-sent" });
  });

  test("whose line cannot be written is not made", async () => {
    const post = vi.fn();
    const target = withoutAudit(operated.target(), "no space left");
    const plan = planCall(target, { method: "m", path: "/p", body: "{}" });
    await expect(callService(target, plan, post)).rejects.toThrow("no space left");
    expect(post).not.toHaveBeenCalled();
  });

  test("shows an answer as it came, if JSON would round a number in it", async () => {
    const answer = '{"code":20000,"msg":"SUCCESS","data":{"amount":12345678901234567.89}}';
    const plan = planCall(operated.target(), { method: "m", path: "/p", body: "{}" });
    const result = await callService(operated.target(), plan, async () => {
      return { status: 200, text: answer };
    });
    expect(result).toMatchObject({ outcome: "done", answerText: answer });
  });

  test("takes its body from standard input too", async () => {
    const { paymentId } = await newPayment();
    const args = [
      command,
      "call",
      "service.trade.query",
      queryPath,
      "--body",
      "-",
      "--yes",
      "--json",
    ];
    const env = { ...process.env, PAYCAST_DIRECTORY: operated.directory };
    const child = spawn(process.execPath, args, { env, stdio: ["pipe", "pipe", "inherit"] });
    child.stdin.end(JSON.stringify({ paymentId }));
    expect(JSON.parse(await text(child.stdout))).toMatchObject({ outcome: "done" });
  });
});

describe("what cannot be sent is refused before anything happens", () => {
  const body = writtenFile("{}");
  test.each([
    [["m", "/p"], "Give --body FILE."],
    [["m"], "Give PATH."],
    [["m", "p", "--body", body], "PATH must begin with a slash"],
    [["m", "/p?x=1", "--body", body], "PATH must begin with a slash"],
    [["a b", "/p", "--body", body], "METHOD must be a name like service.trade.query."],
    [["m", "/p", "--body", body, "--merchant", "x"], "no such merchant. It has: shop-1."],
    [["m", "/p", "--body", "/nowhere"], "--body must name a file that can be read"],
    [["m", "/p", "--body", writtenFile("[]")], "The body must be a JSON object."],
    [["m", "/p", "--body", writtenFile("{")], "The body must be a JSON object."],
    [
      ["m", "/p", "--body", writtenFile('{"a":{"b":1234567890123456.78}}')],
      "The number at /a/b would be changed.",
    ],
    [
      ["m", "/p", "--body", writtenFile('{"refundAmount":"1.00","refundAmount":"9.00"}')],
      'The body has the name "refundAmount" twice in one object. Remove one of them.',
    ],
  ])("%j", async (args, message) => {
    const { code, err } = await operated.paycast("call", ...args, "--yes");
    expect(err).toContain(message);
    expect(code).toBe(2);
  });

  test("one of several merchants must be named", () => {
    const [merchant] = operated.target().stack.merchants;
    const merchants = [merchant!, { ...merchant!, merchantId: "shop-2" }];
    const request = { method: "m", path: "/p", body: "{}" };
    expect(() => planCall({ stack: { ...operated.target().stack, merchants } }, request)).toThrow(
      "Name the merchant with --merchant: shop-1, shop-2.",
    );
  });

  test("a stack without a payment service cannot call one", () => {
    const request = { method: "m", path: "/p", body: "{}" };
    expect(() =>
      planCall({ stack: { ...operated.target().stack, gateway: noGateway } }, request),
    ).toThrow("The stack has no payment service in its config.");
  });
});
