import { checkoutRoutes, type OrderPage } from "./checkout/checkout-routes.ts";
import { controlRoutes } from "./control/control-api.ts";
import { type OrderView, orderView } from "./control/order-view.ts";
import type { FaultInput } from "./faults/fault.ts";
import { gatewayRoutes } from "./gateway/gateway.ts";
import { onlyAtOwnAddress, type Route } from "./http/route.ts";
import { serve } from "./http/serve.ts";
import { keepOrders } from "./keeping/keep-orders.ts";
import type { RotatedKeys, RotateOptions } from "./merchants/rotate-keys.ts";
import type { RefundRequest } from "./service/refunds.ts";
import { Service, type ServiceOptions } from "./service/service.ts";
import { makeTestOrder, type TestOrderInput } from "./service/test-order.ts";

export interface SimulatorOptions extends ServiceOptions {
  /** Default 0, which takes any free port. */
  port?: number | undefined;
  /** Default 127.0.0.1. The simulator gives out keys without authentication, so keep it there. */
  host?: string | undefined;
  /** The address for browsers, if it is not the simulator's own. */
  checkoutBaseUrl?: string | undefined;
  /** If the merchant's own system runs beside the simulator: where it shows an order. */
  orderPage?: OrderPage | undefined;
  /** Keeps orders, refunds and callbacks in this file from one start to the next. */
  ordersFile?: string | undefined;
  /** Does nothing that is due until `releaseClock`: callbacks that are overdue wait for a merchant that starts later. */
  holdsClock?: boolean | undefined;
}

/** A running payment service. Tests can do everything here that its control API can do. */
export interface Simulator {
  /** The service's base address. */
  readonly url: string;
  orders(): OrderView[];
  order(paymentId: string): OrderView;
  /** An order without a signed request, to try a callback receiver without a storefront. */
  makeOrder(wanted?: TestOrderInput): OrderView;
  /** With `force` in any status: late, or a second time with another transaction. */
  pay(paymentId: string, options?: { force?: boolean }): void;
  fail(paymentId: string, options?: { force?: boolean }): void;
  expire(paymentId: string): void;
  /** Returns the refund's id. */
  refund(paymentId: string, request?: RefundRequest): string;
  sendAgain(callbackId: string): Promise<boolean>;
  /** Returns the fault's id. */
  addFault(fault: FaultInput): string;
  removeFault(id: string): void;
  clearFaults(): void;
  rotateKeys(merchantId: string, options?: RotateOptions): Promise<RotatedKeys>;
  setClockSpeed(speed: number): void;
  stepClock(seconds: number): void;
  /** Ends `holdsClock`. */
  releaseClock(): void;
  /** Resolves when nothing is due or in progress: each callback was answered or waits for a retry. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const service = new Service(options);
  if (options.holdsClock) service.clock.hold();
  const { host = "127.0.0.1", port = 0 } = options;
  let url = "";
  const checkoutUrl = (paymentId: string) =>
    `${(options.checkoutBaseUrl ?? url).replace(/\/$/, "")}/checkout/${paymentId}`;
  const server = await serve(routesOf(service, options, checkoutUrl), {
    host,
    port,
    log: service.log,
  });
  const keeper = options.ordersFile && keepOrders(service, options.ordersFile);
  const address = server.address();
  const boundPort = typeof address === "object" && address !== null ? address.port : port;
  url = `http://${host.includes(":") ? `[${host}]` : host}:${boundPort}`;
  return {
    url,
    ...orderControls(service, checkoutUrl),
    ...serviceControls(service),
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await service.stop();
      server.closeAllConnections();
      await closed;
      if (keeper) keeper.stop();
    },
  };
}

/** A merchant may reach the gateway by any name, because its requests are signed. */
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
  const view = (order: Parameters<typeof orderView>[0]) =>
    orderView(order, checkoutUrl(order.paymentId), clock.nowMilliseconds());
  return {
    orders: () => payments.list().map(view),
    order: (paymentId) => view(service.order(paymentId)),
    makeOrder: (wanted) => view(makeTestOrder(service, wanted ?? {})),
    pay: (paymentId, how) => payments.submit(service.order(paymentId), "success", how),
    fail: (paymentId, how) => payments.submit(service.order(paymentId), "failed", how),
    expire: (paymentId) => payments.expire(service.order(paymentId)),
    refund: (paymentId, request) =>
      service.refund(service.order(paymentId), request ?? {}).refundId,
    sendAgain: async (callbackId) => (await service.callbacks.sendAgain(callbackId)) !== undefined,
  } satisfies Partial<Simulator>;
}

function serviceControls(service: Service) {
  const { faults, clock } = service;
  return {
    addFault: (fault) => faults.add(fault).id,
    removeFault: (id) => {
      faults.remove(id);
    },
    clearFaults: () => faults.clear(),
    rotateKeys: (merchantId, options) => service.rotate(merchantId, options ?? {}),
    setClockSpeed: (speed) => clock.setSpeed(speed),
    stepClock: (seconds) => clock.step(seconds * 1000),
    releaseClock: () => clock.release(),
    settled: () => clock.settled(),
  } satisfies Partial<Simulator>;
}
