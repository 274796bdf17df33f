import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { parseJson } from "../../shared/json/parse-json.ts";
import { problemDescriptions, problemKinds } from "../../shared/storefront/problem-kinds.ts";
import type { ConsoleContext, Lab } from "../../tools/console/console-context.ts";
import { consoleRoutes } from "../../tools/console/routes/console-routes.ts";
import { orderRequests } from "../../tools/contract/documents/openapi/examples.ts";
import { fewAtOnce } from "../../tools/operations/few-at-once.ts";
import { checkoutRoutes } from "../../tools/simulator/checkout/checkout.ts";
import { controlRoutes } from "../../tools/simulator/control/control-api.ts";
import { gatewayRoutes } from "../../tools/simulator/gateway/gateway.ts";
import type { Service } from "../../tools/simulator/service/service.ts";
import { orderResult } from "../builders/callback.ts";
import { until } from "../end-to-end/running-stack.ts";
import { scan } from "../integration/aws-stores.ts";
import { serviceCallback } from "../runbook/causes.ts";
import { openConsole } from "../tools/console/open-console.ts";
import { useOperatedStack } from "../tools/operations/operated-stack.ts";
import { type Asked, badAnswers, type Judge, say } from "./ask.ts";
import { bodies, bodyTypes, objects, paths, rawRequests, someOf, spoilt, texts } from "./corpus.ts";

const operated = useOperatedStack();
const stack = () => operated.stack().description;

const everyBody = [...bodies, ...objects];

function posted(
  path: string,
  all: readonly (Buffer | string)[],
  type = "application/json",
): Asked[] {
  return all.map((body) => ({ path, body, headers: { "content-type": type } }));
}

/** The type decides how API Gateway passes a body on. */
function postedAsAll(path: string): Asked[] {
  const tooLarge = { path, body: Buffer.alloc(300 * 1024, " ") };
  const typed = bodyTypes.flatMap((type, place) => posted(path, someOf(everyBody, place), type));
  return [...posted(path, everyBody), ...typed, tooLarge];
}

function visited(pathOf: (text: string) => string, all = texts): Asked[] {
  return all.map((text) => ({ method: "GET", path: pathOf(encodeURIComponent(text)) }));
}

describe("POST /callbacks", () => {
  const answers: Readonly<Record<number, object>> = {
    400: { code: 40000, msg: "not a callback envelope" },
    401: { code: 40100, msg: "not authentic" },
    413: { code: 41300, msg: "over 256 KiB" },
  };
  const judge: Judge = ({ status, type, text }) =>
    type === "application/json" && text === JSON.stringify(answers[status])
      ? undefined
      : "no refusal that the payment service knows";
  const envelope = {
    id: "9f2c1b7e-6a0d-4c58-8f11-0c2a4f6f7b10",
    merchantId: "shop-1",
    timestamp: Date.now(),
    eventName: "payment.order.success",
    format: "json",
    charset: "utf-8",
    encryptType: "AES",
    signType: "RSA",
    sign: "AA==",
    body: "AA==",
  };

  test("takes what is authentic, whatever it holds, and keeps each in a record", async () => {
    const results = spoilt(orderResult({ merchantId: "shop-1" })).filter(
      (_item, at) => at % 7 === 0,
    );
    const sent = [...results, ...bodies, ...objects].map((result, place) => {
      const own = typeof result === "string" ? result.replace(/ORDER-[^"]*/, `A-${place}`) : result;
      const id = randomUUID();
      return { id, path: "/callbacks", body: serviceCallback(operated, "shop-1", own, { id }) };
    });
    const accepted: Judge = ({ text }) =>
      text === '{"code":20000,"msg":""}' ? undefined : "not accepted";
    expect(await badAnswers(stack().api, accepted, sent)).toEqual([]);
    const table = operated.clients().dynamodb;
    await until("a record of each", async () => {
      const items = await scan(table, stack().tables.callbacks);
      const kept = new Set(items.map((item) => item["callbackId"]));
      return sent.every(({ id }) => kept.has(id)) ? true : undefined;
    });
  });

  test("refuses what is no authentic envelope, in the documented words", async () => {
    const all = [...postedAsAll("/callbacks"), ...posted("/callbacks", spoilt(envelope))];
    expect(await badAnswers(stack().api, judge, all)).toEqual([]);
  });
});

describe("the storefront API", () => {
  const judge: Judge = ({ status, type, text }) => {
    if (status === 200 || status === 201) return undefined;
    const problem = z
      .object({ type: z.string(), status: z.number() })
      .safeParse(parseJson(text)).data;
    const kind = problemKinds.find(
      (candidate) => problem?.type === `urn:paycast:problem:${candidate}`,
    );
    const isDocumented = kind !== undefined && problemDescriptions[kind].status === problem?.status;
    if (type !== "application/problem+json" || !isDocumented) return "no documented problem";
    return status === problem.status && status < 500 ? undefined : "a failure";
  };
  const { orderNo } = orderRequests.minimal.order;
  const sample = { ...orderRequests.minimal, redirectUrl: "https://shop.example.com/" };

  test("POST /orders accepts an order or tells the fault, whatever a field holds", async () => {
    // The other fields are spoilt in readers.test.ts: each order that is accepted goes to the payment service.
    const jsons = spoilt(sample, ["order.orderNo", "paymentAmount", "redirectUrl"]);
    const orders = jsons.map((json, index) => json.replace(orderNo, `HOSTILE-${index}`));
    const all = [...postedAsAll("/orders"), ...posted("/orders", orders)];
    expect(await badAnswers(stack().api, judge, all)).toEqual([]);
  });

  test("GET answers with a problem for any number, query and path, and so does any method", async () => {
    const methods = ["PUT", "DELETE", "PATCH", "TRACE", "PROPFIND"];
    const all = [
      ...visited((text) => `/orders/${text}`),
      ...visited((text) => `/orders/-?orderNo=${text}&orderNo=${text}&merchantId=${text}`),
      ...visited((text) => `/payments/${text}?merchantId=shop-1`),
      ...paths.map((path) => ({ method: "GET", path })),
      ...methods.map((method) => ({ method, path: "/callbacks", body: "{}" })),
    ];
    expect(await badAnswers(stack().api, judge, all)).toEqual([]);
  });
});

/** Every route: with each text in its path, or with some of the bodies. `more` are further bodies, and names of a query. */
function asked(
  routes: readonly { readonly method: string; readonly path: string }[],
  more: Readonly<Record<string, readonly string[]>>,
): Asked[] {
  return routes.flatMap(({ method, path }, place) => {
    const further = more[`${method} ${path}`] ?? [];
    const pathOf = (text: string) => path.replaceAll(/:\w+/g, text);
    if (method === "POST") return posted(pathOf("x"), [...someOf(everyBody, place), ...further]);
    if (path.includes(":")) return visited(pathOf).map((candidate) => ({ ...candidate, method }));
    // A view may read a lot, so it gets some of the texts.
    const some = someOf(texts, place);
    const queries = further.flatMap((name) => visited((text) => `${path}?${name}=${text}`, some));
    return [{ method, path: `${path}?a=1&a=2` }, ...queries];
  });
}

/** An object of any kind, also an empty one, begins longer work here. */
const begins = /^\/(api\/(tour|lab\/reconcile|keys\/look)|control\/rotate)/;
const isSafe = ({ path, body = "" }: Asked) =>
  !begins.test(path) || !/^\s*(\{.*)?$/s.test(String(body));

test("every route of the simulator takes or refuses what is sent, and never fails", async () => {
  const none = {} as Service;
  const routes = [
    ...gatewayRoutes(none, String),
    ...controlRoutes(none, String),
    ...checkoutRoutes(none, undefined),
  ].map(({ method, path }) => {
    const plain = path.source.replaceAll(/[\\^$]/g, "").replace("(?:/cgi)?", "");
    return { method, path: plain.replaceAll(/\(.+?\)\??/g, ":part") };
  });
  const order = { orderNo: "H-1", amount: "1.00", redirectUrl: "http://[::1]/", expirySeconds: 60 };
  const fault = { kind: "delay", orderNo: "H-1", times: 1, seconds: 1 };
  const more = {
    "POST /control/orders": spoilt(order, ["orderNo", "amount", "redirectUrl"]),
    "POST /control/faults": spoilt(fault, ["kind", "seconds"]),
    "GET /control/settled": ["timeoutSeconds"],
  };
  const all = [...asked(routes, more), ...paths.map((path) => ({ method: "GET", path }))];
  const judge: Judge = ({ status }) => (status >= 200 && status < 500 ? undefined : "a failure");
  expect(await badAnswers(stack().gateway, judge, all.filter(isSafe))).toEqual([]);
});

test("every route of the console gives JSON that tells what is wrong, and never fails", async () => {
  const { origin, cookie } = await openConsole(stack().console);
  const order = { orderNo: "H-2", merchantId: "shop-1", amount: "1.00", currency: "EUR" };
  const refund = { paymentId: "x", amount: "1", outcome: "failed", referRefundNo: "1" };
  const more = {
    "GET /api/flow": ["range"],
    "GET /api/find": ["quick=yes&text"],
    "GET /api/attention/show": ["id"],
    "POST /api/lab/orders": spoilt(order, ["orderNo"]),
    "POST /api/lab/service/refund": spoilt(refund, ["amount"]),
    "POST /api/lab/faults": spoilt({ kind: "delay", orderNo: "H-2", times: 1 }, ["times"]),
    "POST /api/attention/redrive/preview": spoilt({ ids: ["abcd"] }, ["ids"]),
    "POST /api/dead-letters/redrive/preview": spoilt({ queue: "analytics", ids: ["abcd"] }, [
      "queue",
    ]),
    "POST /api/replay/preview": spoilt({ to: "x", order: "x" }, ["to"]),
  };
  const judge: Judge = ({ status, type, text }) => {
    const problem = z.object({ error: z.object({ code: z.string() }) }).safeParse(parseJson(text));
    if (type !== "application/json") return "no JSON";
    return status === 200 || (status >= 400 && status < 500 && problem.success)
      ? undefined
      : "a failure";
  };
  const routes = consoleRoutes({ lab: {} as Lab } as ConsoleContext);
  const further = paths
    .filter((path) => path.startsWith("/api/"))
    .map((path) => ({ method: "GET", path }));
  const all: Asked[] = [...asked(routes, more), ...further].filter(isSafe);
  const own = all.map((candidate) => ({
    ...candidate,
    headers: { ...candidate.headers, cookie, origin },
  }));
  expect(await badAnswers(origin, judge, own)).toEqual([]);
});

test("no server fails or hangs on what is hardly HTTP", async () => {
  const { api, gateway, console: page, aws } = stack();
  const servers = [api, gateway, page, ...Object.values(aws)].map((address) => new URL(address));
  const all = servers.flatMap(({ origin, host }) =>
    rawRequests(host).map((raw) => ({ origin, raw })),
  );
  const faults = await fewAtOnce(all, async ({ origin, raw }) => {
    const line = await say(origin, raw);
    // An empty line: the connection was closed without an answer.
    return /^(HTTP\/1\.1 [234]\d\d .*)?$/.test(line)
      ? []
      : [`${origin} ${raw.slice(0, 80)}: ${line}`];
  });
  expect(faults.flat()).toEqual([]);
});
