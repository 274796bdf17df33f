import * as z from "zod";
import type { Route } from "../http/route.ts";
import type { Callback } from "../orders/order.ts";
import { Refusal, refusalCodes } from "../orders/refusal.ts";
import { type ClockChange, fastestSpeed, longestStepSeconds } from "../service/clock.ts";
import type { Service } from "../service/service.ts";
import { makeTestOrder, testOrderBody } from "../service/test-order.ts";
import { type Form, type FormVisit, filledIn, formRoute } from "./form.ts";
import type { MerchantSystem } from "./merchant-system.ts";
import type { NoticeBoard } from "./notices.ts";
import { submit } from "./submit.ts";

export interface FormDependencies {
  readonly service: Service;
  readonly notices: NoticeBoard;
  readonly merchantSystem: MerchantSystem | undefined;
}

/** The forms of the pages for the user of the simulator. */
export function formRoutes(deps: FormDependencies): Route[] {
  const forms = [...orderForms(deps), ...faultForms(deps), clockForm(deps), rotateForm(deps)];
  return forms.map((form) => formRoute(deps.notices, form));
}

function orderForms(deps: FormDependencies): Form[] {
  const { service, notices } = deps;
  const done = (path: string, text: string) => notices.show(path, { kind: "done", text });
  const ofOrder = ({ id }: FormVisit) => orderAddress(service.order(id).paymentId);
  return [
    { name: "order", path: /^\/orders$/, page: () => "/", work: (visit) => makeOrder(deps, visit) },
    {
      name: "act",
      path: /^\/orders\/([0-9a-f]+)\/act$/,
      page: ofOrder,
      work: ({ fields, id }) => done(orderAddress(id), submit(service, id, fields["action"])),
    },
    {
      name: "refund",
      path: /^\/orders\/([0-9a-f]+)\/refund$/,
      page: ofOrder,
      work: ({ fields, id }) => {
        const request = refundFields.parse(filledIn(fields));
        const { referRefundNo } = service.refund(service.order(id), request);
        return done(orderAddress(id), `Refund ${referRefundNo} has started.`);
      },
    },
    {
      name: "send-again",
      path: /^\/callbacks\/([^/]+)\/send-again$/,
      page: pageOf,
      work: async (visit) =>
        done(pageOf(visit), sentAgain(await service.callbacks.sendAgain(visit.id))),
    },
  ];
}

const refundFields = z.object({
  amount: z.string(),
  outcome: z.enum(["success", "failed"]),
  referRefundNo: z.string().max(64).optional(),
});

async function makeOrder(deps: FormDependencies, { fields }: FormVisit): Promise<string> {
  const { service, notices, merchantSystem } = deps;
  const wanted = filledIn(fields);
  if (merchantSystem === undefined) {
    const { paymentId, orderNo } = makeTestOrder(service, wanted);
    const text = `Order ${orderNo} was made here alone. The merchant's own system does not know it.`;
    return notices.show(orderAddress(paymentId), { kind: "done", text });
  }
  const { merchantId } = service.merchant(wanted["merchantId"]);
  const body = testOrderBody(wanted);
  const placed = await merchantSystem.placeOrder({ merchantId, ...body });
  if ("refused" in placed) throw new Refusal(refusalCodes.bodyField, placed.refused);
  const text = `Order ${body.order.orderNo} was made through ${merchantSystem.name}. Both sides know it.`;
  return notices.show(orderAddress(placed.paymentId), { kind: "done", text });
}

function sentAgain(callback: Callback | undefined): string {
  const attempt = callback?.attempts.at(-1);
  if (callback === undefined || attempt === undefined) {
    throw new Refusal(refusalCodes.bodyField, "No callback with this id can be sent.");
  }
  const answer =
    attempt.httpStatus === undefined
      ? `There was no answer: ${attempt.detail}.`
      : `The answer was HTTP ${attempt.httpStatus}.`;
  return `${callback.eventName} was sent again. ${answer}`;
}

function faultForms({ service, notices }: FormDependencies): Form[] {
  const done = (visit: FormVisit, text: string) =>
    notices.show(pageOf(visit), { kind: "done", text });
  return [
    {
      name: "faults",
      path: /^\/faults$/,
      page: pageOf,
      work: (visit) => {
        const { kind, times, paymentId } = visit.fields;
        const scope = paymentId ? { orderNo: service.order(paymentId).orderNo } : {};
        service.faults.add({ kind, ...scope, ...(times ? { times: Number(times) } : {}) });
        return done(visit, `The fault ${kind} is on${paymentId ? "" : " for all orders"}.`);
      },
    },
    {
      name: "faults-off",
      path: /^\/faults\/off$/,
      page: pageOf,
      work: (visit) => {
        for (const id of visit.all.getAll("id")) service.faults.remove(id);
        return done(visit, "The fault is off.");
      },
    },
  ];
}

const clockFields = z.object({
  backToNow: z.stringbool().optional(),
  speed: z.coerce.number().min(0).max(fastestSpeed).optional(),
  stepSeconds: z.coerce.number().min(0).max(longestStepSeconds).optional(),
});

function clockForm({ service, notices }: FormDependencies): Form {
  return {
    name: "clock",
    path: /^\/clock$/,
    page: () => "/",
    work: ({ fields }) => {
      const change = clockFields.parse(filledIn(fields));
      service.clock.change(change);
      return notices.show("/", { kind: "done", text: toldChange(change) });
    },
  };
}

function toldChange({ backToNow, speed }: ClockChange): string {
  if (backToNow) return "The clock is back at real time.";
  return speed === undefined ? "The clock is ahead." : "The clock's speed is set.";
}

function rotateForm({ service, notices, merchantSystem }: FormDependencies): Form {
  return {
    name: "rotate",
    path: /^\/rotate$/,
    page: () => "/",
    work: async ({ fields }) => {
      const keys = await service.rotate(fields["merchantId"] ?? "", {}).catch(refuseRotation);
      const inUse = `New keys of ${keys.merchantId} are in use.`;
      if (merchantSystem === undefined) {
        const text = `${inUse} The merchant needs them in its secrets:`;
        return notices.show("/", { kind: "done", text, keys });
      }
      const text = `${inUse} ${merchantSystem.name} has stored them already: there is nothing to do.`;
      return notices.show("/", { kind: "done", text });
    },
  };
}

function refuseRotation(error: unknown): never {
  if (error instanceof Refusal) throw error;
  const reason = error instanceof Error ? error.message : String(error);
  const text = `The new keys could not be stored, so the old ones stay in use. Reason: ${reason}`;
  throw new Refusal(refusalCodes.bodyField, text);
}

/** The page of the order that the form names, or the first page. */
function pageOf({ fields }: FormVisit): string {
  return fields["paymentId"] ? orderAddress(fields["paymentId"]) : "/";
}

function orderAddress(paymentId: string): string {
  return `/orders/${encodeURIComponent(paymentId)}`;
}
