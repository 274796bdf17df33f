import * as z from "zod";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { eventTypes, matchesPattern } from "../../../shared/facts/event-types.ts";
import { serviceRetriesEndMilliseconds } from "../../../shared/timing.ts";
import { checkNow } from "../../operations/calling/check-now.ts";
import { makeOrder, newOrderNo } from "../../operations/calling/local-orders.ts";
import { controlService, type ServiceControl } from "../../operations/calling/service-control.ts";
import { isAvailable } from "../../operations/ports/available.ts";
import { findSubscriber } from "../../operations/ports/queues.ts";
import type { Target } from "../../operations/ports/target.ts";
import type { ConsoleContext, Consumer, Lab } from "../console-context.ts";
import { type ApiRoute, change, readQuery, view } from "../server/route.ts";

const short = (most: number) => z.string().trim().max(most);
const orderBody = z.strictObject({
  // An order number is not trimmed: leading and trailing spaces are part of it.
  orderNo: z.string().min(1).max(64).optional(),
  merchantId: short(18).optional(),
  amount: short(32).optional(),
  currency: short(3).toUpperCase().optional(),
});
const outageBody = z.strictObject({ service: z.enum(["sqs", "dynamodb"]), isOn: z.boolean() });
const queueBody = z.strictObject({ subscriber: z.string(), isBroken: z.boolean() });
const subscriber = z.string();
const consumerBody = z.union([
  z.strictObject({ subscriber, mode: z.enum(["nobody", "reads", "fails"]) }),
  z.strictObject({ subscriber, mode: z.literal("fails-on-type"), type: z.enum(eventTypes) }),
]);
const nothing = z.object({});

/** Only for the local stack. */
export function labRoutes(context: ConsoleContext): ApiRoute[] {
  const { lab, changed } = context;
  if (lab === undefined) return [];
  /** Every page reloads after a change. */
  const changes: Changes = (path, schema, work) =>
    change(path, schema, async (body) => {
      const result = await work(body);
      changed();
      return result;
    });
  const service = () => serviceOf(context);
  return [
    view("/api/lab", async () => await readLab(lab, await context.target(), await service())),
    changes("/api/lab/orders", orderBody, (wanted) => placeOrder(context, wanted)),
    ...serviceRoutes(changes, service),
    changes("/api/lab/outages", outageBody, ({ service: name, isOn }) => lab.setOutage(name, isOn)),
    changes("/api/lab/queues", queueBody, async ({ subscriber, isBroken }) => {
      lab.setBroken(findSubscriber((await context.target()).queues, subscriber).name, isBroken);
    }),
    changes("/api/lab/consumers", consumerBody, async ({ subscriber, ...consumer }) => {
      await lab.setConsumer(
        findSubscriber((await context.target()).queues, subscriber).name,
        consumer,
      );
    }),
    changes("/api/lab/jump", jumpBody, ({ seconds }) => lab.jump(seconds * 1_000)),
    changes("/api/lab/ask", orderNameBody, async (order) => {
      await checkNow(await context.target(), order);
      await lab.reconcileNow();
    }),
    changes("/api/lab/reconcile", nothing, () => lab.reconcileNow()),
    changes("/api/lab/restore", nothing, async () => putRight(lab, await service())),
  ];
}

async function serviceOf({ target }: ConsoleContext): Promise<ServiceControl> {
  const { local } = (await target()).stack;
  if (isAvailable(local)) return controlService(local.simulator);
  throw new PaycastError("wrong-usage", "Only the local stack has a payment service to control.");
}

/** The active faults, and the available ones. */
export type LabView = Awaited<ReturnType<typeof readLab>>;

async function readLab(lab: Lab, { queues }: Target, service: ServiceControl) {
  const [{ faults, groups }, clock] = await Promise.all([service.faults(), service.clock()]);
  const nobody: Consumer = { mode: "nobody" };
  const consumers = queues.subscribers.map(({ name, types }) => ({
    ...(lab.consumers()[name] ?? nobody),
    subscriber: name,
    readAt: lab.readAt(name),
    types: eventTypes.filter((type) => types.some((pattern) => matchesPattern(type, pattern))),
  }));
  return {
    breakage: lab.breakage(),
    faults,
    faultGroups: groups,
    clock: { stackAheadSeconds: lab.aheadMilliseconds() / 1_000, service: clock },
    consumers,
  };
}

export type MadeOrder = Awaited<ReturnType<typeof placeOrder>>;

async function placeOrder({ target }: ConsoleContext, wanted: z.output<typeof orderBody>) {
  const orderNo = wanted.orderNo ?? newOrderNo("ORDER");
  const { merchantId, checkoutUrl } = await makeOrder(await target(), { ...wanted, orderNo });
  return { merchantId, orderNo, checkoutUrl };
}

/** Clears everything except the clock's speed, which is not a fault unless the clock is stopped. */
async function putRight(lab: Lab, service: ServiceControl): Promise<void> {
  const { outages, brokenSubscribers } = lab.breakage();
  for (const name of outages) lab.setOutage(name, false);
  for (const name of brokenSubscribers) lab.setBroken(name, false);
  await lab.restoreConsumers();
  await service.clearFaults();
  if ((await service.clock()).speed === 0) await service.setClock({ speed: 1 });
}

type Changes = <Body>(
  path: string,
  schema: z.ZodType<Body>,
  work: (body: Body) => unknown,
) => ApiRoute;

const id = z.string().regex(/^[\w-]{1,64}$/);
const actBody = z.strictObject({ paymentId: id, action: z.enum(["pay", "fail", "expire"]) });
const refundBody = z.strictObject({
  paymentId: id,
  amount: z.string().max(32).optional(),
  outcome: z.enum(["success", "failed"]).optional(),
  referRefundNo: z.string().min(1).max(64).optional(),
});
const faultBody = z.strictObject({
  kind: z.string().max(64),
  orderNo: z.string().min(1).max(64).optional(),
  times: z.int().min(1).max(1_000).optional(),
});
const orderNameBody = z.strictObject({ merchantId: z.string(), orderNo: z.string() });
const orderQuery = z.strictObject({ orderNo: z.string(), merchant: z.string() });
/** Covers all retries of the payment service. */
const longestJumpSeconds = serviceRetriesEndMilliseconds / 1_000;
const jumpBody = z.strictObject({ seconds: z.number().min(0).max(longestJumpSeconds) });
const clockBody = z.strictObject({
  speed: z.number().min(0).max(100_000).optional(),
  /** Syncs with the stack's clock. */
  aheadSeconds: z.literal(0).optional(),
});

/** The actions of the local payment service, for one payment and for all. */
function serviceRoutes(changes: Changes, service: () => Promise<ServiceControl>) {
  return [
    view("/api/lab/service/payments", async (request) =>
      findPayments(await service(), readQuery(orderQuery, request)),
    ),
    view("/api/lab/service/payments/:paymentId", async ({ parts: { paymentId = "" } }) =>
      readPayment(await service(), paymentId),
    ),
    changes("/api/lab/service/act", actBody, async ({ paymentId, action }) => {
      await (await service()).act(paymentId, action);
    }),
    changes("/api/lab/service/refund", refundBody, async ({ paymentId, ...wanted }) => {
      await (await service()).act(paymentId, "refund", wanted);
    }),
    changes("/api/lab/service/send-again", z.strictObject({ callbackId: id }), async (body) => {
      await (await service()).sendAgain(body.callbackId);
    }),
    changes("/api/lab/faults", faultBody, async (fault) => {
      await (await service()).addFault(fault);
    }),
    changes("/api/lab/faults/off", z.strictObject({ id: z.string() }), async ({ id }) => {
      await (await service()).removeFault(id);
    }),
    changes("/api/lab/clock", clockBody, async (news) => await (await service()).setClock(news)),
    changes("/api/lab/rotate", z.strictObject({ merchantId: z.string() }), async (body) => {
      await (await service()).rotateKeys(body.merchantId);
    }),
  ];
}

/** The payments that the local payment service has for an order, newest first. */
export type PaymentIds = Awaited<ReturnType<typeof findPayments>>;

async function findPayments(
  service: ServiceControl,
  { orderNo, merchant }: z.output<typeof orderQuery>,
) {
  const found = (await service.payments()).filter(
    (payment) => payment.orderNo === orderNo && payment.merchantId === merchant,
  );
  return { paymentIds: found.map(({ paymentId }) => paymentId) };
}

/** A payment as the local payment service has it. */
export type PaymentView = Awaited<ReturnType<typeof readPayment>>;

async function readPayment(service: ServiceControl, paymentId: string) {
  const [{ status, currency, refundable, checkoutUrl, callbacks }, { now }] = await Promise.all([
    service.payment(paymentId),
    service.clock(),
  ]);
  // On the service's clock.
  const nextAttemptAt = (seconds: number) =>
    new Date(Date.parse(now) + seconds * 1000).toISOString();
  const undelivered = callbacks
    .filter(({ state }) => state !== "delivered")
    .map(({ id, eventName, state, nextAttemptInSeconds: seconds }) => ({
      id,
      eventName,
      state,
      nextAttemptAt: seconds === undefined ? undefined : nextAttemptAt(seconds),
    }));
  return { status, currency, refundable, checkoutUrl, undelivered };
}
