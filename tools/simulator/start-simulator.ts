import { checkoutRoutes, type OrderPage } from "./checkout/checkout.ts";
import { controlRoutes } from "./control/control-api.ts";
import { orderView } from "./control/order-view.ts";
import type { FaultInput } from "./faults/fault.ts";
import { gatewayRoutes } from "./gateway/gateway.ts";
import { onlyAtOwnAddress, type Route, serve } from "./http/serve.ts";
import { keepOrders } from "./keeping/keep-orders.ts";
import { dropOldKeys, type RotateOptions } from "./merchants/rotate-keys.ts";
import type { Order } from "./orders/order.ts";
import type { SubmitOptions } from "./service/payments.ts";
import type { RefundRequest } from "./service/refunds.ts";
import { Service, type ServiceOptions } from "./service/service.ts";
import { makeTestOrder, type TestOrderInput } from "./service/test-order.ts";

export interface SimulatorOptions extends ServiceOptions {
  /** Default 0, any free port. */
  port?: number | undefined;
  /** The address for browsers. Default: the simulator's own. */
  checkoutBaseUrl?: string | undefined;
  /** The merchant's own page of an order, if there is one. */
  orderPage?: OrderPage | undefined;
  /** Stores orders, refunds and callbacks in this file between starts. */
  ordersFile?: string | undefined;
  /** Runs no due work until `releaseClock`, so that overdue callbacks wait for a merchant that starts later. */
  holdsClock?: boolean | undefined;
}

/** A running payment service. It offers tests everything that its control API can do. */
export type Simulator = Awaited<ReturnType<typeof startSimulator>>;

export async function startSimulator(options: SimulatorOptions) {
  const service = new Service(options);
  if (options.holdsClock) service.clock.hold();
  const { port = 0 } = options;
  let url = "";
  const checkoutUrl = (paymentId: string) =>
    `${(options.checkoutBaseUrl ?? url).replace(/\/$/, "")}/checkout/${paymentId}`;
  const server = await serve(routesOf(service, options, checkoutUrl), port, service.log);
  const keeper = options.ordersFile && keepOrders(service, options.ordersFile);
  const address = server.address();
  const boundPort = typeof address === "object" && address !== null ? address.port : port;
  url = `http://127.0.0.1:${boundPort}`;
  return {
    /** The service's base address. */
    url,
    ...orderControls(service, checkoutUrl),
    ...serviceControls(service),
    async stop(): Promise<void> {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await service.stop();
      server.closeAllConnections();
      await closed;
      if (keeper) keeper.stop();
    },
  };
}

/** A merchant may use any host name for the gateway, because its requests are signed. */
function routesOf(
  service: Service,
  { checkoutBaseUrl, orderPage }: SimulatorOptions,
  checkoutUrl: (paymentId: string) => string,
): Route[] {
  const others = [...controlRoutes(service, checkoutUrl), ...checkoutRoutes(service, orderPage)];
  return [...gatewayRoutes(service, checkoutUrl), ...onlyAtOwnAddress(others, checkoutBaseUrl)];
}

function orderControls(service: Service, checkoutUrl: (paymentId: string) => string) {
  const { payments, clock } = service;
  const view = (order: Order) =>
    orderView(order, checkoutUrl(order.paymentId), clock.nowMilliseconds());
  const submit = (outcome: "success" | "failed") => (paymentId: string, options?: SubmitOptions) =>
    payments.submit(service.order(paymentId), outcome, options);
  return {
    orders: () => payments.list().map(view),
    order: (paymentId: string) => view(service.order(paymentId)),
    /** An order without a signed request, to try a callback receiver without a storefront. */
    makeOrder: (wanted: TestOrderInput = {}) => view(makeTestOrder(service, wanted)),
    pay: submit("success"),
    fail: submit("failed"),
    expire: (paymentId: string) => payments.expire(service.order(paymentId)),
    /** Returns the refund's id. */
    refund: (paymentId: string, request: RefundRequest = {}) =>
      service.refund(service.order(paymentId), request).refundId,
    sendAgain: async (callbackId: string) =>
      (await service.callbacks.sendAgain(callbackId)) !== undefined,
  };
}

function serviceControls(service: Service) {
  const { faults, clock } = service;
  return {
    /** Returns the fault's id. */
    addFault: (fault: FaultInput) => faults.add(fault).id,
    removeFault: (id: string) => void faults.remove(id),
    clearFaults: () => faults.clear(),
    rotateKeys: (merchantId: string, options: RotateOptions = {}) =>
      service.rotate(merchantId, options),
    dropOldKeys: (merchantId: string) => dropOldKeys(service.merchant(merchantId)),
    setClockSpeed: (speed: number) => clock.setSpeed(speed),
    /** Moves only the service's schedule forward, not the timestamps on the wire. */
    jumpClock: (seconds: number) => clock.jump(seconds * 1000),
    /** The time until the service's next planned work. */
    untilNextMilliseconds: () => clock.untilNextMilliseconds(),
    /** Ends `holdsClock`. */
    releaseClock: () => clock.release(),
    /** Resolves when nothing is due or in progress: each callback got a response or waits for a retry. */
    settled: () => clock.settled(),
    isSettled: () => clock.isSettled(),
  };
}
