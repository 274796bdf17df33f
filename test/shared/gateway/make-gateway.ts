import { createGateway } from "../../../shared/gateway/call-gateway.ts";
import { createPoster, type PostJson } from "../../../shared/gateway/post-json.ts";
import { makeMerchant } from "../../builders/merchant.ts";

const sealing = { ...makeMerchant().service };

/** A create body, as far as the gateway looks at it. */
export const createBody = { order: { orderNo: "ORDER-1" } };
export const created = { paymentId: "P1", checkoutUrl: "https://pay.example/P1" };

interface Changes {
  readonly post?: PostJson;
  /** What happens while the keys are fetched. */
  readonly onKeys?: () => void;
  readonly callerCodes?: readonly string[];
}

/** A gateway whose pauses take no real time and are counted, and that waits 300 ms at most for a reply. */
export function makeGateway(changes: Changes = {}) {
  const pauses: number[] = [];
  const timeouts: number[] = [];
  const doubted: string[] = [];
  let now = 1_794_705_765_123;
  const pass = (milliseconds: number) => {
    now += milliseconds;
  };
  const poster = createPoster();
  const post: PostJson =
    changes.post ?? ((url, json, timeout) => poster(url, json, Math.min(300, timeout)));
  const call = createGateway({
    keys: {
      keysFor: async () => {
        changes.onKeys?.();
        return sealing;
      },
      doubt: (merchantId) => doubted.push(merchantId),
    },
    callerCodes: changes.callerCodes ?? [],
    post: async (url, json, timeoutMilliseconds) => {
      timeouts.push(timeoutMilliseconds);
      return await post(url, json, timeoutMilliseconds);
    },
    now: () => now,
    random: () => 0.5,
    pause: async (milliseconds) => {
      pauses.push(milliseconds);
      pass(milliseconds);
    },
  });
  return { call, pauses, timeouts, doubted, pass, now: () => now };
}

export const settingsOf = (url: URL) => ({
  baseUrl: url.origin,
  pathPrefix: "/cgi",
  paths: { create: "/payment/api/v1/payment-order", query: "/api/v1/gateway" },
  shortOrderNumbers: false,
  exactSums: true,
  callerCodes: [],
});
