import { setTimeout as wait } from "node:timers/promises";
import * as z from "zod";
import { faultDescriptions, faultGroups, targetOf } from "../faults/fault.ts";
import type { ActiveFault } from "../faults/fault-board.ts";
import { type Answer, json, plainText, type Route, type Visit } from "../http/serve.ts";
import { rotatableKeys } from "../merchants/rotate-keys.ts";
import type { Order } from "../orders/order.ts";
import { Refusal, refusalCodes } from "../orders/refusal.ts";
import { fastestSpeed, longestJumpSeconds } from "../service/clock.ts";
import type { Service } from "../service/service.ts";
import { makeTestOrder } from "../service/test-order.ts";
import { controlGuide } from "./control-guide.ts";
import { orderView } from "./order-view.ts";

const submitBody = z.strictObject({ force: z.boolean().default(false) });
const refundBody = z.strictObject({
  amount: z.string().optional(),
  outcome: z.enum(["success", "failed"]).optional(),
  referRefundNo: z.string().min(1).max(64).optional(),
});
const clockBody = z.strictObject({
  backToNow: z.boolean().optional(),
  aheadSeconds: z.number().min(-longestJumpSeconds).max(longestJumpSeconds).optional(),
  speed: z.number().min(0).max(fastestSpeed).optional(),
  jumpSeconds: z.number().min(0).max(longestJumpSeconds).optional(),
});
const rotateBody = z.strictObject({
  merchantId: z.string().optional(),
  keys: z.array(z.enum(rotatableKeys)).min(1).optional(),
  keepPrevious: z.boolean().optional(),
});

type Handle = (body: unknown, id: string, visit: Visit) => Promise<unknown> | unknown;

/** The control API, for tests, scripts and the console. `GET /control` describes it. */
export function controlRoutes(
  service: Service,
  checkoutUrl: (paymentId: string) => string,
): Route[] {
  const view = (order: Order) =>
    orderView(order, checkoutUrl(order.paymentId), service.clock.nowMilliseconds());
  const guide: Route = {
    method: "GET",
    path: /^\/(control)?$/,
    handle: () => plainText(200, controlGuide),
  };
  return [
    guide,
    ...orderRoutes(service, view),
    ...faultRoutes(service),
    ...clockRoutes(service),
    on("POST", /^\/control\/rotate$/, async (body) => {
      const { merchantId, ...options } = rotateBody.parse(body);
      const id = service.merchant(merchantId).merchantId;
      // Only the merchant's side. The service's private key is never sent.
      const { service: _own, ...merchantSide } = await service
        .rotate(id, options)
        .catch(refuseRotation);
      return merchantSide;
    }),
  ];
}

function refuseRotation(error: unknown): never {
  if (error instanceof Refusal) throw error;
  const reason = error instanceof Error ? error.message : String(error);
  const text = `The new keys could not be stored, so the old ones stay in use. Reason: ${reason}`;
  throw new Refusal(refusalCodes.wrongState, text);
}

function orderRoutes(service: Service, view: (order: Order) => unknown): Route[] {
  const act = (name: string, work: (order: Order, body: unknown) => void) =>
    on("POST", new RegExp(`^/control/orders/([^/]+)/${name}$`), (body, id) => {
      work(service.order(id), body);
      return view(service.order(id));
    });
  return [
    on("GET", /^\/control\/orders$/, () => ({ orders: service.payments.list().map(view) })),
    on("POST", /^\/control\/orders$/, (body) => view(makeTestOrder(service, body))),
    on("GET", /^\/control\/orders\/([^/]+)$/, (_body, id) => view(service.order(id))),
    act("pay", (order, body) => service.payments.submit(order, "success", submitBody.parse(body))),
    act("fail", (order, body) => service.payments.submit(order, "failed", submitBody.parse(body))),
    act("expire", (order) => service.payments.expire(order)),
    act("refund", (order, body) => service.refund(order, refundBody.parse(body))),
    on("POST", /^\/control\/callbacks\/([^/]+)\/send-again$/, async (_body, id) => {
      if ((await service.callbacks.sendAgain(id)) !== undefined) return {};
      throw new Refusal(
        refusalCodes.unknownPayment,
        "there is no callback with this id that can be sent",
      );
    }),
  ];
}

function faultRoutes(service: Service): Route[] {
  const view = ({ id, fault, left }: ActiveFault) => ({ id, ...fault, left });
  const list = () => ({ faults: service.faults.list().map(view) });
  return [
    on("GET", /^\/control\/faults$/, () => ({ ...list(), groups: describedGroups })),
    on("POST", /^\/control\/faults$/, (body) => view(service.faults.add(body))),
    on("DELETE", /^\/control\/faults$/, () => {
      service.faults.clear();
      return list();
    }),
    on("DELETE", /^\/control\/faults\/([^/]+)$/, (_body, id) => {
      service.faults.remove(id);
      return list();
    }),
  ];
}

/** Every kind of fault, as the console shows them. */
const describedGroups = faultGroups.map(({ title, kinds }) => ({
  title,
  kinds: kinds.map((kind) => ({
    kind,
    description: faultDescriptions[kind],
    target: targetOf(kind),
  })),
}));

function clockRoutes(service: Service): Route[] {
  const { clock } = service;
  const view = () => ({
    now: new Date(clock.nowMilliseconds()).toISOString(),
    speed: clock.speed,
    aheadSeconds: clock.aheadMilliseconds / 1000,
  });
  return [
    on("GET", /^\/control\/clock$/, view),
    on("POST", /^\/control\/clock$/, async (body) => {
      const { jumpSeconds, ...change } = clockBody.parse(body);
      clock.change(change);
      if (jumpSeconds !== undefined) await service.jump(jumpSeconds * 1000);
      return view();
    }),
    on("GET", /^\/control\/settled$/, async (_body, _id, { url }) => {
      const seconds = Number(url.searchParams.get("timeoutSeconds") ?? 10);
      const late = wait(Math.min(seconds, 600) * 1000, false, { ref: false });
      return { settled: await Promise.race([clock.settled().then(() => true), late]) };
    }),
  ];
}

function on(method: Route["method"], path: RegExp, handle: Handle): Route {
  return {
    method,
    path,
    async handle(visit, [id = ""]) {
      if (!visit.sameSite)
        return json(403, { error: "Requests from pages of other sites are rejected." });
      try {
        return json(200, await handle(bodyOf(visit), id, visit));
      } catch (error) {
        return errorAnswer(error);
      }
    },
  };
}

function bodyOf(visit: Visit): unknown {
  const text = visit.body.toString("utf8");
  return text.trim() === "" ? {} : JSON.parse(text);
}

function errorAnswer(error: unknown): Answer {
  if (error instanceof z.ZodError) return json(400, { error: z.prettifyError(error) });
  if (error instanceof SyntaxError) return json(400, { error: "The body is not JSON." });
  if (!(error instanceof Refusal)) throw error;
  const status = error.code === refusalCodes.unknownPayment ? 404 : 409;
  return json(status, { error: error.message, code: error.code });
}
