import { describe, expect, test } from "vitest";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { readData } from "../../../shared/gateway/call-gateway.ts";
import { GatewayError } from "../../../shared/gateway/gateway-error.ts";
import { gatewayUrl } from "../../../shared/gateway/gateway-settings.ts";
import { createPayment, queryPayment } from "../../../shared/gateway/operations.ts";
import { createBody, created, makeGateway, settingsOf } from "./make-gateway.ts";
import {
  answering,
  bodyOf,
  type Conduct,
  closedPort,
  resetting,
  silent,
  startRawServer,
} from "./raw-server.ts";

const success = answering(JSON.stringify({ code: 20000, msg: "SUCCESS", data: created }));

/** How a create and a query end at such a server, and how often each was sent. */
async function tryBoth(conduct: Conduct) {
  const outcomes: Record<string, [failure: string, sent: number]> = {};
  for (const operation of ["create", "query"] as const) {
    const server = await startRawServer(conduct);
    const { call } = makeGateway();
    const settings = settingsOf(server.url);
    const calling =
      operation === "create"
        ? createPayment(call, settings, "M1", createBody)
        : queryPayment(call, settings, "M1", "P1");
    const failure = await calling.then(
      () => "none",
      (error: unknown) => (error instanceof GatewayError ? error.failure : String(error)),
    );
    outcomes[operation] = [failure, server.requests.length];
  }
  return outcomes;
}

describe("once the request was sent, a create is not repeated, and a query up to three times,", () => {
  test.each<[string, Conduct, string]>([
    ["no answer comes", silent, "timed-out"],
    ["the connection is reset", resetting, "disconnected"],
    ["the answer says nothing", answering("Internal error", "500 Oops"), "unreadable"],
  ])("when %s", async (_case, conduct, failure) => {
    expect(await tryBoth(conduct)).toEqual({ create: [failure, 1], query: [failure, 3] });
  });
});

describe("a create and a query alike are sent once when the service", () => {
  test.each<[string, Conduct, string]>([
    ["refuses", answering('{"code":40001,"msg":"no"}'), "refused"],
    ["has too many requests", answering("", "429 Too Many Requests"), "busy"],
  ])("%s", async (_case, conduct, failure) => {
    expect(await tryBoth(conduct)).toEqual({ create: [failure, 1], query: [failure, 1] });
  });
});

describe("the keys are fetched again before the next call", () => {
  const refusing = (code: string) => answering(JSON.stringify({ code, msg: "no" }));

  /** The merchants whose keys are doubted after one create. */
  async function doubtedAfter(conduct: Conduct) {
    const server = await startRawServer(conduct);
    const { call, doubted } = makeGateway({ callerCodes: ["40012", "http-400"] });
    await createPayment(call, settingsOf(server.url), "M1", createBody).catch(() => undefined);
    return doubted;
  }

  test.each<[string, Conduct]>([
    ["with any code that is not the caller's", refusing("40013")],
    ["without a code", answering("", "401 Unauthorized")],
  ])("if the service refuses a call %s", async (_case, conduct) => {
    expect(await doubtedAfter(conduct)).toEqual(["M1"]);
  });

  test.each<[string, Conduct]>([
    ["for a reason of the caller's", refusing("40012")],
    ["for one that its HTTP status alone says", answering("", "400 Bad Request")],
    ["because it is too busy", answering("", "429 Too Many Requests")],
    ["after it may have acted", answering("Internal error", "500 Oops")],
    ["not at all", success],
  ])("and not if it refuses a call %s", async (_case, conduct) => {
    expect(await doubtedAfter(conduct)).toEqual([]);
  });
});

describe("a call", () => {
  test("that cannot be sent at all is tried three times, create or not", async () => {
    const settings = settingsOf(await closedPort());
    const { call, pauses, timeouts } = makeGateway();
    const creating = createPayment(call, settings, "M1", createBody);
    await expect(creating).rejects.toMatchObject({ failure: "unreachable" });
    expect(timeouts).toHaveLength(3);
    expect(pauses).toEqual([300, 600]);
  });

  test("that was tried again is sealed anew, with a timestamp of its own", async () => {
    let requests = 0;
    const server = await startRawServer((socket, request) => {
      requests += 1;
      (requests < 3 ? resetting : success)(socket, request);
    });
    const { call } = makeGateway();
    expect(await queryPayment(call, settingsOf(server.url), "M1", "P1")).toEqual(created);
    const envelopes = server.requests.map((request) => JSON.parse(bodyOf(request)));
    expect(new Set(envelopes.map(({ timestamp }) => timestamp)).size).toBe(3);
    expect(new Set(envelopes.map(({ sign }) => sign)).size).toBe(3);
  });

  test("goes to the path of its operation, prefix and all, with the method's name", async () => {
    const server = await startRawServer(success);
    const { call } = makeGateway();
    await createPayment(call, settingsOf(server.url), "M1", createBody);
    await queryPayment(call, settingsOf(server.url), "M1", "P1");
    const seen = server.requests.map((request) => [
      request.split(" ")[1],
      JSON.parse(bodyOf(request)).method,
    ]);
    expect(seen).toEqual([
      ["/cgi/payment/api/v1/payment-order", "service.trade.create"],
      ["/cgi/api/v1/gateway", "service.trade.query"],
    ]);
  });

  test("reaches any method at any path, whatever the answer's data", async () => {
    const server = await startRawServer(answering('{"code":"20000","msg":"SUCCESS"}'));
    const answer = await makeGateway().call({
      merchantId: "M1",
      method: "service.trade.cancel",
      url: gatewayUrl(settingsOf(server.url), "/payment/api/v1/payment-order/cancel"),
      body: { paymentId: "P1" },
      read: readData,
      isRepeatable: false,
      budgetMilliseconds: 60_000,
    });
    expect(answer).toBeUndefined();
    const [request = ""] = server.requests;
    expect(request).toMatch(/^POST \/cgi\/payment\/api\/v1\/payment-order\/cancel /);
    expect(JSON.parse(bodyOf(request)).method).toBe("service.trade.cancel");
  });

  test("without keys sends nothing, and its failure is not the service's", async () => {
    const server = await startRawServer(success);
    const onKeys = () => {
      throw new PaycastError("keys-unset", "The merchant's secret has no value yet.");
    };
    const { call } = makeGateway({ onKeys });
    const calling = createPayment(call, settingsOf(server.url), "M1", createBody);
    await expect(calling).rejects.toMatchObject({ code: "keys-unset" });
    expect(server.connections).toBe(0);
  });
});
