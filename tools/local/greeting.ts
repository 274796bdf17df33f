import { relative } from "node:path";
import type { Config } from "../../infra/config/config-schema.ts";
import type { LocalDescription } from "../operations/local-stack/local-description.ts";
import { descriptionFile } from "./describe-stack.ts";

export interface Greeting {
  readonly description: LocalDescription;
  readonly config: Config;
  readonly directory: string;
  readonly seconds: number;
}

/** Printed when everything is running: the addresses, and who may call the API here and when deployed. */
export function greet({ description, config, directory, seconds }: Greeting): string {
  const { api, gateway, console, shop, queues, merchants } = description;
  return `
Paycast is running on this machine. It started in ${seconds.toFixed(1)} s. Ctrl-C stops it.

  Console            ${console}

  Storefront API     ${describeStorefront(api, config)}
  Callbacks          ${api}/callbacks
  Payment service    ${gateway}  (simulated; the console controls it)
  Merchants          ${merchants.map(({ merchantId }) => merchantId).join(", ")}
  Subscribers        ${Object.keys(queues.subscribers).join(", ")}
  Demo shop          ${describeShop(shop, config)}

  Everything else    ${descriptionFile(relative(process.cwd(), directory))}

Events from here on, one per line:
`;
}

const noGateway = "none, because the config has no gateway";

function describeShop(shop: string, { gateway }: Config): string {
  return gateway === undefined ? noGateway : `npm run shop starts it at ${shop}`;
}

function describeStorefront(api: string, { gateway, storefront }: Config): string {
  if (gateway === undefined || storefront === undefined) return noGateway;
  return `${api}  (${describeAccess(storefront)})`;
}

/** The local stack checks neither AWS signatures nor tokens. */
function describeAccess({ access, issuer }: NonNullable<Config["storefront"]>): string {
  switch (access) {
    case "iam":
      return "accepts unsigned calls; when deployed, each call must be signed with AWS credentials";
    case "jwt":
      return `accepts calls without a token; when deployed, each call needs a JWT from ${issuer}`;
    case "open":
      return "accepts calls from anyone, here and when deployed";
  }
}
