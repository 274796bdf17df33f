import { type ServiceAnswer, startOpensslService } from "./openssl-service.ts";
import type { Shop } from "./shop.ts";
import type { ShopOptions } from "./shop-environment.ts";

export const paymentData = {
  paymentId: "P1",
  checkoutUrl: "https://pay.example/P1",
  status: "pending",
};

export const success = (data: unknown, code: unknown = 20000) => ({ code, msg: "SUCCESS", data });

/** A storefront before the service that opens requests without Paycast's code. */
export async function makeOpensslShop(
  makeShop: (options: ShopOptions) => Promise<Shop>,
  options: ShopOptions = {},
  answer: ServiceAnswer = () => success(paymentData),
) {
  const service = await startOpensslService(answer);
  const gateway = { baseUrl: service.url, ...options.gateway };
  const shop = await makeShop({ ...options, gateway });
  shop.onEnd(service.stop);
  for (const merchant of shop.merchants) {
    const { aesKey, profile = {} } = JSON.parse(merchant.requestSecret());
    const bytes = Buffer.from(aesKey, profile.keyEncoding ?? "base64");
    service.agreements.set(merchant.merchantId, { aesKey: bytes, profile });
  }
  return { shop, service };
}

/** Something to wait for until the test says so. */
export function makeBarrier(): { readonly opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
