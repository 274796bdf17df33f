import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { createGateway } from "../../../shared/gateway/call-gateway.ts";
import { GatewayError } from "../../../shared/gateway/gateway-error.ts";
import { createPayment, queryPayment } from "../../../shared/gateway/operations.ts";
import { createPoster, type PostJson } from "../../../shared/gateway/post-json.ts";
import { PaycastError } from "../../../shared/paycast-error.ts";
import { makeMerchant } from "../../builders/merchant.ts";
import {
  answering,
  bodyOf,
  type Conduct,
  closedPort,
  resetting,
  silent,
  startRawServer,
} from "./raw-server.ts";

const merchant = makeMerchant();
const sealing = { ...merchant.service };
const created = { paymentId: "P1", checkoutUrl: "https://pay.example/P1" };
const success = answering(JSON.stringify({ code: 20000, msg: "SUCCESS", data: created }));

/** A gateway whose pauses take no time and are counted, and whose patience is short. */
function makeGateway(changes: { post?: PostJson; keys?: () => Promise<typeof sealing> } = {}) {
  const pauses: number[] = [];
  let now = 1_794_705_765_123;
  const poster = createPoster();
  const timeouts: number[] = [];
  const call = createGateway({
    keysFor: changes.keys ?? (async () => sealing),
    post:
      changes.post ??
      (async (url, json, timeoutMilliseconds) => {
        timeouts.push(timeoutMilliseconds);
        return await poster(url, json, Math.min(300, timeoutMilliseconds));
      }),
    now: () => now,
    random: () => 0.5,
    pause: async (milliseconds) => {
      pauses.push(milliseconds);
      now += milliseconds;
    },
  });
  const pass = (milliseconds: number) => {
    now += milliseconds;
  };
  return { call, pauses, timeouts, pass };
}

const settingsOf = (url: URL) => ({
  baseUrl: url.origin,
  pathPrefix: "/cgi",
  paths: { create: "/payment/api/v1/payment-order", query: "/api/v1/gateway" },
});

/** What a create and a query come to at such a server, and how often each was sent. */
async function tryBoth(conduct: Conduct) {
  const outcomes: Record<string, [failure: string, sent: number]> = {};
  for (const operation of ["create", "query"] as const) {
    const server = await startRawServer(conduct);
    const { call } = makeGateway();
    const settings = settingsOf(server.url);
    const calling =
      operation === "create"
        ? createPayment(call, settings, "M1", { order: {} })
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
    ["the connection is reset", resetting, "timed-out"],
    ["the answer is HTTP 500", answering("Internal error", "500 Oops"), "unreadable"],
    ["the answer is HTML", answering("<html></html>"), "unreadable"],
    ["the answer is empty", answering(""), "unreadable"],
    ["the answer is cut off", answering('{"code":20000,"data":{"pay'), "unreadable"],
    ["the answer redirects", answering("", "302 Found", ["location: /else"]), "unreadable"],
    ["the answer is huge", answering("x".repeat(1_100_000)), "unreadable"],
  ])("when %s", async (_, conduct, failure) => {
    expect(await tryBoth(conduct)).toEqual({ create: [failure, 1], query: [failure, 3] });
  });
});

describe("a refusal is the service's last word, for a create and a query alike,", () => {
  test.each<[string, Conduct]>([
    ["as a number", answering('{"code":40001,"msg":"no"}')],
    ["as a string", answering('{"code":"40001","msg":"no"}')],
    ["under HTTP 500", answering('{"code":50000,"msg":"no"}', "500 Oops")],
    ["as HTTP 404 in HTML", answering("<html></html>", "404 Not Found")],
  ])("%s", async (_, conduct) => {
    expect(await tryBoth(conduct)).toEqual({ create: ["refused", 1], query: ["refused", 1] });
  });
});

describe("a call", () => {
  test("that cannot be sent at all is tried three times, create or not", async () => {
    const settings = settingsOf(await closedPort());
    const { call, pauses, timeouts } = makeGateway();
    const creating = createPayment(call, settings, "M1", {});
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
    await createPayment(call, settingsOf(server.url), "M1", {});
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

  test("reaches any method: another operation is a schema and a path", async () => {
    const server = await startRawServer(answering('{"code":"20000","data":{"refundId":"R1"}}'));
    const answer = await makeGateway().call({
      merchantId: "M1",
      method: "service.trade.refund",
      url: server.url,
      body: { paymentId: "P1" },
      answerSchema: z.object({ refundId: z.string() }),
      isRepeatable: false,
      readsNumbers: false,
    });
    expect(answer).toEqual({ refundId: "R1" });
  });

  test("gives a create more patience than each try of a query", async () => {
    const server = await startRawServer(success);
    const { call, timeouts } = makeGateway();
    await createPayment(call, settingsOf(server.url), "M1", {});
    await queryPayment(call, settingsOf(server.url), "M1", "P1");
    expect(timeouts).toEqual([15_000, 6_000]);
  });

  test("with all its tries stays inside the time that the function has", async () => {
    const timeouts: number[] = [];
    const gateway = makeGateway({
      post: async (_url, _json, timeoutMilliseconds) => {
        timeouts.push(timeoutMilliseconds);
        gateway.pass(timeoutMilliseconds);
        throw new GatewayError("unreachable");
      },
    });
    const url = new URL("http://127.0.0.1/");
    await expect(createPayment(gateway.call, settingsOf(url), "M1", {})).rejects.toThrow();
    const spent = [...timeouts, ...gateway.pauses].reduce((sum, one) => sum + one, 0);
    expect(timeouts[0]).toBe(15_000);
    expect(spent).toBeLessThanOrEqual(18_000);
  });

  test("without keys sends nothing, and its failure is not the service's", async () => {
    const server = await startRawServer(success);
    const keys = async () => {
      throw new PaycastError("keys-unset", "The merchant's secret has no value yet.");
    };
    const { call } = makeGateway({ keys });
    const calling = createPayment(call, settingsOf(server.url), "M1", {});
    await expect(calling).rejects.toMatchObject({ code: "keys-unset" });
    expect(server.connections).toBe(0);
  });
});

describe("the answer of a create", () => {
  test.each([
    ["has no paymentId", { checkoutUrl: "https://pay.example/P1" }],
    ["has an empty paymentId", { ...created, paymentId: "" }],
    ["has no checkoutUrl", { paymentId: "P1" }],
    ["has a checkoutUrl that is too long", { ...created, checkoutUrl: "x".repeat(2049) }],
  ])("that %s cannot be read", async (_, data) => {
    const server = await startRawServer(answering(JSON.stringify({ code: 20000, data })));
    const creating = createPayment(makeGateway().call, settingsOf(server.url), "M1", {});
    await expect(creating).rejects.toMatchObject({ failure: "unreadable" });
  });

  test("may leave out what the request said already", async () => {
    const data = { ...created, referOrderNo: null, more: 12345678901234567890n.toString() };
    const server = await startRawServer(answering(JSON.stringify({ code: 20000, data })));
    const answer = await createPayment(makeGateway().call, settingsOf(server.url), "M1", {});
    expect(answer).toMatchObject(created);
  });
});
