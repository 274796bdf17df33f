import * as z from "zod";
import { html, page } from "../http/html.ts";
import { type Answer, type Route, seeOther, type Visit } from "../http/route.ts";
import type { RotatedKeys } from "../merchants/rotate-keys.ts";
import type { Order } from "../orders/order.ts";
import { Refusal, refusalCodes } from "../orders/refusal.ts";
import type { Service } from "../service/service.ts";
import { makeTestOrder } from "../service/test-order.ts";
import { checkoutPage, redirectAddress } from "./checkout-page.ts";
import { listPage } from "./list-page.ts";
import { orderPage } from "./order-page.ts";

type Fields = Readonly<Record<string, string>>;

/** The consumer's checkout page, and the pages for the user of the simulator. */
export function pageRoutes(service: Service, checkoutUrl: (paymentId: string) => string): Route[] {
  return [...checkoutRoutes(service), ...viewRoutes(service, checkoutUrl), ...formRoutes(service)];
}

function checkoutRoutes(service: Service): Route[] {
  const path = /^\/checkout\/([0-9a-f]+)$/;
  const show: Route = {
    method: "GET",
    path,
    handle: (visit, [id = ""]) =>
      safely(() => {
        const left = visit.url.searchParams.has("left");
        return checkoutPage(service.order(id), service.clock.nowMilliseconds(), left);
      }),
  };
  return [show, form(path, (fields, id) => choose(service, service.order(id), fields["action"]))];
}

function choose(service: Service, order: Order, action: string | undefined): Answer {
  const here = `/checkout/${order.paymentId}`;
  if (action === "leave") return seeOther(redirectAddress(order) ?? `${here}?left`);
  // With two tabs, or a button pressed twice, the page shows the result of the first press.
  if (order.status === "pending") submit(service, order, action);
  return seeOther(here);
}

function submit(service: Service, order: Order, action: string | undefined): void {
  if (action === "pay") service.payments.submit(order, "success");
  else if (action === "fail") service.payments.submit(order, "failed");
  else if (action === "expire") service.payments.expire(order);
  else throw new Refusal(refusalCodes.bodyField, "There is no such action.");
}

function viewRoutes(service: Service, checkoutUrl: (paymentId: string) => string): Route[] {
  return [
    { method: "GET", path: /^\/$/, handle: () => listPage(service) },
    {
      method: "GET",
      path: /^\/orders\/([0-9a-f]+)$/,
      handle: (_visit, [id = ""]) =>
        safely(() => orderPage(service, service.order(id), checkoutUrl(id))),
    },
  ];
}

function formRoutes(service: Service): Route[] {
  return [
    form(/^\/orders$/, (fields) =>
      seeOther(orderAddress(makeTestOrder(service, given(fields)).paymentId)),
    ),
    form(/^\/orders\/([0-9a-f]+)\/act$/, (fields, id) => {
      submit(service, service.order(id), fields["action"]);
      return seeOther(orderAddress(id));
    }),
    form(/^\/orders\/([0-9a-f]+)\/refund$/, (fields, id) => {
      service.refund(service.order(id), refundFields.parse(given(fields)));
      return seeOther(orderAddress(id));
    }),
    form(/^\/callbacks\/([^/]+)\/send-again$/, async (fields, id) => {
      await service.callbacks.sendAgain(id);
      return seeOther(orderAddress(fields["paymentId"]));
    }),
    ...switchRoutes(service),
  ];
}

const refundFields = z.object({
  amount: z.string(),
  outcome: z.enum(["success", "failed"]),
  referRefundNo: z.string().max(64).optional(),
});
const clockFields = z.object({
  speed: z.coerce.number().min(0).optional(),
  stepSeconds: z.coerce.number().min(0).optional(),
});

function switchRoutes(service: Service): Route[] {
  return [
    form(/^\/faults$/, (fields) => {
      const { kind, times, paymentId } = fields;
      const scope = paymentId ? { orderNo: service.order(paymentId).orderNo } : {};
      service.faults.add({ kind, ...scope, ...(times ? { times: Number(times) } : {}) });
      return seeOther(orderAddress(paymentId));
    }),
    form(/^\/faults\/off$/, (fields, _id, all) => {
      for (const id of all.getAll("id")) service.faults.remove(id);
      return seeOther(orderAddress(fields["paymentId"]));
    }),
    form(/^\/clock$/, (fields) => {
      const { speed, stepSeconds } = clockFields.parse(given(fields));
      if (speed !== undefined) service.clock.setSpeed(speed);
      if (stepSeconds !== undefined) service.clock.step(stepSeconds * 1000);
      return seeOther("/");
    }),
    form(/^\/rotate$/, async (fields) =>
      rotatedPage(await service.rotate(fields["merchantId"] ?? "", {})),
    ),
  ];
}

function rotatedPage(rotated: RotatedKeys): Answer {
  const title = `New keys of ${rotated.merchantId}`;
  const shown = (keys: object) => html`<pre>${JSON.stringify(keys, null, 2)}</pre>`;
  return page(
    { title },
    html`<section class="card"><h1>${title}</h1>
<p>In use from now on. The merchant needs them in its secrets:</p>
<h2>Callback keys</h2>${shown(rotated.callbackKeys)}
<h2>Request keys (its own private key stays)</h2>${shown(rotated.requestKeys)}
<p><a href="/">Back</a></p></section>`,
  );
}

function form(
  path: RegExp,
  handle: (fields: Fields, id: string, all: URLSearchParams) => Promise<Answer> | Answer,
): Route {
  return {
    method: "POST",
    path,
    handle: (visit: Visit, [id = ""]) =>
      safely(() => {
        if (!visit.sameSite) return errorPage(403, "Pages of another site may not do this.");
        const all = new URLSearchParams(visit.body.toString("utf8"));
        return handle(Object.fromEntries(all), id, all);
      }),
  };
}

/** Leaves out empty fields. */
function given(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""));
}

async function safely(work: () => Promise<Answer> | Answer): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof z.ZodError) return errorPage(400, z.prettifyError(error));
    if (!(error instanceof Refusal)) throw error;
    return errorPage(error.code === refusalCodes.unknownPayment ? 404 : 409, error.message);
  }
}

function errorPage(status: number, message: string): Answer {
  const title = status === 404 ? "Not found" : "That did not work";
  const body = html`<section class="card"><h1>${title}</h1><p>${message}</p><p><a href="/">All orders</a></p></section>`;
  return page({ title, status }, body);
}

function orderAddress(paymentId: string | undefined): string {
  return paymentId ? `/orders/${encodeURIComponent(paymentId)}` : "/";
}
