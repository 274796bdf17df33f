import { type RequestOptions, request } from "node:http";
import type { Page } from "playwright-core";

interface ShopAnswer {
  readonly status: number;
  readonly location: string | undefined;
  readonly policy: string;
}

/** Not with `fetch`, which chooses the Host and Origin headers itself. */
export function askShop(url: string, options: RequestOptions, body = ""): Promise<ShopAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (answer) => {
      const { location, "content-security-policy": policy } = answer.headers;
      answer.resume();
      resolve({ status: answer.statusCode!, location, policy: String(policy) });
    });
    sent.on("error", reject).end(body);
  });
}

/** Sends a form as the shop's own page does, unless the headers say otherwise. */
export async function postForm(
  address: string,
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string>,
): Promise<ShopAnswer> {
  const body = new URLSearchParams(fields).toString();
  const usual = { origin: address, "content-length": String(body.length) };
  return await askShop(address + path, { method: "POST", headers: { ...usual, ...headers } }, body);
}

export async function cookieOf(page: Page): Promise<{ cookie: string }> {
  const cookies = await page.context().cookies();
  return { cookie: cookies.map(({ name, value }) => `${name}=${value}`).join("; ") };
}
