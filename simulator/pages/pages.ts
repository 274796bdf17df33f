import { type Answer, type Route, seeOther } from "../http/route.ts";
import type { Order } from "../orders/order.ts";
import type { Service } from "../service/service.ts";
import { checkoutPage, wayBackOf } from "./checkout-page.ts";
import { orErrorPage, postRoute } from "./form.ts";
import { formRoutes } from "./form-routes.ts";
import { listPage } from "./list-page.ts";
import type { MerchantSystem } from "./merchant-system.ts";
import { NoticeBoard } from "./notices.ts";
import { orderPage } from "./order-page.ts";
import { submit } from "./submit.ts";

export interface PageSettings {
  readonly checkoutUrl: (paymentId: string) => string;
  readonly merchantSystem: MerchantSystem | undefined;
}

/** The consumer's checkout page, and the pages for the user of the simulator. */
export function pageRoutes(service: Service, settings: PageSettings): Route[] {
  const { merchantSystem } = settings;
  const notices = new NoticeBoard();
  return [
    ...checkoutRoutes(service, merchantSystem),
    ...viewRoutes(service, settings, notices),
    ...formRoutes({ service, notices, merchantSystem }),
  ];
}

function checkoutRoutes(service: Service, system: MerchantSystem | undefined): Route[] {
  const path = /^\/checkout\/([0-9a-f]+)$/;
  const show: Route = {
    method: "GET",
    path,
    handle: (visit, [id = ""]) =>
      orErrorPage(() => {
        const left = visit.url.searchParams.has("left");
        const order = service.order(id);
        return checkoutPage(order, service.clock, left, wayBackOf(order, system));
      }),
  };
  return [
    show,
    postRoute(path, ({ fields, id }) => choose(service, service.order(id), fields["action"])),
  ];
}

function choose(service: Service, order: Order, action: string | undefined): Answer {
  const here = `/checkout/${order.paymentId}`;
  if (action === "leave") return seeOther(wayBackOf(order, undefined)?.address ?? `${here}?left`);
  // With two tabs, or a button pressed twice, the page shows the result of the first press.
  if (order.status === "pending") submit(service, order.paymentId, action);
  return seeOther(here);
}

function viewRoutes(service: Service, settings: PageSettings, notices: NoticeBoard): Route[] {
  const { checkoutUrl, merchantSystem } = settings;
  return [
    {
      method: "GET",
      path: /^\/$/,
      handle: ({ url }) => {
        const search = url.searchParams.get("search") ?? "";
        return listPage(service, { merchantSystem, notice: notices.find(url), search });
      },
    },
    {
      method: "GET",
      path: /^\/orders\/([0-9a-f]+)$/,
      handle: ({ url }, [id = ""]) =>
        orErrorPage(() => {
          const order = service.order(id);
          const links = { checkoutUrl: checkoutUrl(id), merchantSystem };
          return orderPage(service, order, links, notices.find(url));
        }),
    },
  ];
}
