import * as z from "zod";
import type { ServiceControl } from "../../operations/calling/service-control.ts";
import { serviceRetriesEndMilliseconds } from "../../shared/timing.ts";
import { type ApiRoute, readQuery, view } from "../server/route.ts";

export type Changes = <Body>(
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
const orderQuery = z.strictObject({ orderNo: z.string(), merchant: z.string() });
/** Far enough for all retries of the service. */
const longestStepSeconds = serviceRetriesEndMilliseconds / 1_000;
const clockBody = z.strictObject({
  speed: z.number().min(0).max(100_000).optional(),
  stepSeconds: z.number().min(0).max(longestStepSeconds).optional(),
  /** Back to real time. */
  aheadSeconds: z.literal(0).optional(),
});

/** What the local payment service can do: for one payment, and for all. */
export function serviceRoutes(changes: Changes, service: () => Promise<ServiceControl>) {
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

/** The payments of an order as the local payment service knows them, newest first. */
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

/** A payment as the local payment service knows it. */
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
      ...{ id, eventName, state },
      nextAttemptAt: seconds === undefined ? undefined : nextAttemptAt(seconds),
    }));
  return { status, currency, refundable, checkoutUrl, undelivered };
}
