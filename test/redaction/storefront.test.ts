import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { problemKinds } from "../../shared/storefront/problem-kinds.ts";
import { queryClaimMilliseconds } from "../../shared/timing.ts";
import { type Call, writes } from "../integration/fault-proxy.ts";
import { successFact } from "../shared/orders/facts.ts";
import { reportPayment } from "../storefront/report.ts";
import { useShops } from "../storefront/shop.ts";
import { createCanaries } from "./canary.ts";
import { echo } from "./echo.ts";
import { orderPaths } from "./fields.ts";
import { type Fields, formsOf, loadedPayment } from "./loaded.ts";
import { loadedOrder, loadedPaymentData, valueIn, withValue } from "./loaded-order.ts";
import { type StorefrontStage, startStorefront } from "./storefront-stage.ts";
import { createWatch } from "./watch.ts";

const makeShop = useShops();
const canaries = createCanaries();
const watch = createWatch(canaries);
const start = () => startStorefront(makeShop, canaries, watch);
let stage: StorefrontStage;
beforeAll(async () => {
  stage = await start();
});
afterEach(() => watch.expectNoLeak());
afterAll(() => stage.service.stop());

const orderNoOf = (order: Fields) => String(valueIn(order, ["order", "orderNo"]));
const newId = (place: string) => canaries.text(place, "id");
/** What the service says is passed on to the caller, and not logged. Its code is logged if it is a code. */
const refusal = (code: unknown) => ({ code, msg: canaries.text("the service's msg", "words") });
const spokenCode = () => `code of ${canaries.text("the service's code", "words")}`;

test("a canary is in every field of an order that may hold one", () => {
  const order = loadedOrder(canaries);
  const empty = orderPaths.filter((path) => {
    const value = valueIn(order, path);
    return typeof value !== "object" && canaries.find(String(value)).length === 0;
  });
  // Sums, words and numbers of the interface, and fields that have another name here or are optional.
  expect(empty.map((path) => path.join(".")).sort()).toEqual([
    "channel",
    "currency",
    "merchantId",
    "order.goods.0.goodsQuantity",
    "order.goods.0.goodsUnitAmount",
    "order.orderAmount",
    "order.shipping.shipType",
    "order.totalTax",
    "paymentExpiryTime",
  ]);
});

const places = [...orderPaths, ["unknown"], ["order", "unknown"]].filter(
  (path) => path.join(".") !== "order.orderNo",
);

test.each(places.map((path) => [path.join("."), path] as const))(
  "what an order's %s holds is in no line and no problem document",
  async (place, path) => {
    stage.service.answer(200, loadedPaymentData(canaries));
    const forms = formsOf(canaries, `order's ${place}`);
    const bodies = forms.map(([, value]) => withValue(loadedOrder(canaries), path, value));
    const before = watch.seen({ outcome: "problem", httpStatus: 400 }).length;
    await Promise.all(bodies.map((body) => stage.create(body)));
    expect(watch.seen({ outcome: "problem", httpStatus: 400 }).length).toBeGreaterThan(before);
  },
);

describe("create-order", () => {
  test("says nothing of an order, whatever becomes of it", async () => {
    const { shop, service, create, createFrom } = stage;
    service.answer(200, loadedPaymentData(canaries));
    const order = loadedOrder(canaries);
    expect(await create(order)).toMatchObject({ statusCode: 201 });
    await create(order);
    await create(withValue(order, ["order", "orderDescription"], canaries.text("description")));
    await create({ ...loadedOrder(canaries), merchantId: canaries.text("merchantId") });
    await createFrom(canaries.text("body that is no JSON"));
    await createFrom(Buffer.from(`\xff${canaries.text("bytes")}`, "latin1").toString("base64"), {
      isBase64Encoded: true,
    });
    await createFrom(`${JSON.stringify(order)}${" ".repeat(1024 * 1024)}`);
    const loaded = loadedOrder(canaries);
    const fact = successFact({ orderNo: orderNoOf(loaded), reason: canaries.text("reason") });
    await reportPayment(shop.world, fact);
    expect(await create(loaded)).toMatchObject({ statusCode: 409 });
    const { checkoutUrl: _url, ...incomplete } = loadedPaymentData(canaries)["data"] as Fields;
    service.answer(200, { code: 20000, data: { ...incomplete, paymentId: "P-1" } });
    expect(await create()).toMatchObject({ statusCode: 502 });
  });

  test("says nothing of an order whose notice cannot be written", async () => {
    const { shop, service, create, creator } = stage;
    service.answer(200, loadedPaymentData(canaries));
    await create();
    const isNotice = (call: Call) =>
      writes(call) && JSON.stringify(call.input).includes(shop.world.tables.callbacks);
    const end = creator.faults.fail(isNotice, echo("AccessDeniedException"));
    // The same payment for a second order: it is claimed twice.
    expect(await create()).toMatchObject({ statusCode: 504 });
    end();
    expect(watch.seen({ outcome: "notice-not-written" })).toHaveLength(1);
  });

  test("says nothing of an order that another caller is creating", async () => {
    const { service, create } = stage;
    let answer = () => {};
    const until = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const sent = service.hold(until, { status: 200, body: loadedPaymentData(canaries) });
    const order = loadedOrder(canaries);
    const first = create(order);
    await Promise.race([sent, first]);
    expect(await create(order)).toMatchObject({ statusCode: 409 });
    answer();
    await first;
  });

  const answers: [string, number, () => unknown, reported?: Fields][] = [
    ["a refusal", 200, () => refusal(40001), { serviceCode: "40001" }],
    [
      "a refusal whose code is text",
      200,
      () => refusal(spokenCode()),
      { serviceCode: "not-a-code" },
    ],
    ["too many requests", 429, () => refusal(42900)],
    ["an error of the server", 500, () => refusal(50000)],
    ["text", 200, () => canaries.text("answer that is no JSON")],
    ["an answer without a payment", 200, () => ({ code: 20000, data: canaries.text("data") })],
    [
      "a status that is text",
      200,
      () => loadedPaymentData(canaries, { status: canaries.text("status") }),
      { serviceStatus: "not-a-status" },
    ],
    [
      "a payment of another order",
      200,
      () => loadedPaymentData(canaries, { referOrderNo: canaries.text("other order") }),
    ],
  ];

  test.each(answers)(
    "says nothing of what the service answers: %s",
    async (_case, status, body, logged = {}) => {
      const { service, create } = stage;
      service.answer(status, body());
      await create();
      expect(watch.seen({ service: "create-order", ...logged }).length).toBeGreaterThan(0);
    },
  );

  test("says nothing of what it has sent when the service is away", async () => {
    const { service, create } = await start();
    service.cut();
    await create();
    await service.stop();
    await create();
  });
});

describe("query-order", () => {
  test("says nothing of an order that is known, unknown or asked about", async () => {
    const { service, querier, create, get, stray } = stage;
    service.answer(200, loadedPaymentData(canaries));
    const order = loadedOrder(canaries);
    await create(order);
    const orderNo = orderNoOf(order);
    const answers = [
      { code: 20000, data: { ...loadedPayment(canaries), status: "confirming" } },
      { code: 20000, data: { ...loadedPayment(canaries), status: "refund_success" } },
      { code: 20000, data: { ...loadedPayment(canaries), status: canaries.text("status") } },
      refusal(40400),
      canaries.text("answer that is no JSON"),
    ];
    for (const answer of answers) {
      service.answer(200, answer);
      await get({ orderNo });
      await get({ paymentId: newId("payment that is not known here") });
      querier.advance(queryClaimMilliseconds);
    }
    service.answer(200, {
      code: 20000,
      data: loadedPayment(canaries, { status: "refund_success" }),
    });
    await get({ paymentId: newId("refund's own id") });
    service.answer(429, refusal(42900));
    await get({ paymentId: newId("payment of a busy service") });
    service.answer(200, canaries.text("answer that is no JSON"));
    await get({ paymentId: newId("payment of an unreadable service") });
    await get({ orderNo: newId("unknown order") }, { merchantId: canaries.text("merchant") });
    await get({ orderNo: newId("unknown order") });
    await stray();
  });
});

test.each(["cut", "echo"] as const)(
  "whichever call to AWS fails, no line repeats what it held (%s)",
  async (kind) => {
    const { service, creator, querier, create, get } = stage;
    service.answer(200, loadedPaymentData(canaries));
    const order = loadedOrder(canaries);
    await create(order);
    for (const instance of [creator, querier]) {
      instance.faults.fail(() => true, kind === "echo" ? echo() : { kind });
      // The keys are fetched again when they are old.
      instance.advance(10 * 60_000);
      await (instance === creator ? create() : get({ orderNo: orderNoOf(order) }));
      instance.faults.heal();
    }
  },
);

test("every outcome and every kind of problem has been looked at", () => {
  watch.expectAllOutcomes("create-order", ["keys-problem"]);
  watch.expectAllOutcomes("query-order", ["keys-problem"]);
  expect([...watch.problems].sort()).toEqual([...problemKinds].sort());
});
