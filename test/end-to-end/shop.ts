import { expect } from "vitest";
import type { LocalDescription } from "../../tools/operations/local-stack/local-description.ts";
import { until } from "./running-stack.ts";

/** A storefront and an operator of the simulated payment service, over HTTP. */
export function openShop({ api, gateway }: LocalDescription) {
  const control = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${gateway}/control${path}`, {
      method,
      ...(body && {
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    });
    const text = await answer.text();
    expect(answer.status, `${method} ${path}: ${text}`).toBeLessThan(300);
    return text === "" ? undefined : JSON.parse(text);
  };
  const get = async (orderNo: string) => {
    const answer = await fetch(`${api}/orders/${encodeURIComponent(orderNo)}`);
    return { status: answer.status, order: JSON.parse(await answer.text()) };
  };
  return {
    control,
    get,
    create: async (orderNo: string, fields: object = {}) => {
      const answer = await fetch(`${api}/orders`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ ...orderBody(orderNo), ...fields }),
      });
      return { status: answer.status, body: JSON.parse(await answer.text()) };
    },
    /**
     * The status as the storefront sees it, once it is that. Asking may be faster than the callback: then the origin stays
     * `query`, and after some polls the answer is recorded.
     */
    untilStatus: async (orderNo: string, status: string) => {
      let polls = 0;
      return await until(`${orderNo} to be ${status}`, async () => {
        const { order } = await get(orderNo);
        if (order.status !== status) return undefined;
        polls += 1;
        return order.statusOrigin !== "query" || polls > 30 ? order : undefined;
      });
    },
    act: (paymentId: string, action: string, body: object = {}) =>
      control("POST", `/orders/${paymentId}/${action}`, body),
    fault: (kind: string, orderNo: string, fields: object = {}) =>
      control("POST", "/faults", { kind, orderNo, ...fields }),
    step: (jumpSeconds: number) => control("POST", "/clock", { jumpSeconds }),
  };
}

function orderBody(orderNo: string) {
  return {
    channel: "WEB",
    currency: "USD",
    paymentAmount: "12.30",
    order: {
      orderNo,
      orderAmount: "12.30",
      goods: [
        { referenceGoodsId: "tea", goodsName: "Green tea", goodsAmount: "4.10", goodsQuantity: 3 },
      ],
    },
  };
}
