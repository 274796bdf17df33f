import { randomInt } from "node:crypto";
import { createServer } from "node:http";
import * as z from "zod";
import { parseJson } from "../shared/parse-json.ts";
import { listenOnLoopback } from "./aws/listen-on-loopback.ts";
import { shopDistance } from "./local-options.ts";

/**
 * Where the demo shop will listen (`npm run shop`). Chosen before the shop runs, because the API must know where the
 * checkout may send people back to.
 */
export async function chooseShopAddress(apiPort: number, pickPort = anyOwnPort): Promise<string> {
  if (apiPort !== 0) return `http://127.0.0.1:${apiPort + shopDistance}`;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ifFree(pickPort());
    } catch (error) {
      if (attempt >= portAttempts) throw error;
    }
  }
}

const portAttempts = 20;

/** The shop may start minutes later. The system gives higher ports to every program that asks for any free one. */
function anyOwnPort(): number {
  return randomInt(10_000, 16_000);
}

async function ifFree(port: number): Promise<string> {
  const { endpoint, stop } = await listenOnLoopback(createServer(), port);
  await stop();
  return endpoint;
}

const originsSchema = z.array(z.string());

/** On this machine the shop's address is allowed besides the config's. The template, which is deployed, does not have it. */
export function allowShop(shop: string) {
  return ({ REDIRECT_ORIGINS }: Readonly<Record<string, string>>): Record<string, string> => {
    if (REDIRECT_ORIGINS === undefined) return {};
    const configured = originsSchema.parse(parseJson(REDIRECT_ORIGINS));
    return { REDIRECT_ORIGINS: JSON.stringify([...new Set([...configured, shop])]) };
  };
}

type Variables = Readonly<Record<string, string>>;

const sourcesSchema = z.array(z.string());

/** What differs on this machine from the template, which is deployed. */
export function localVariables(shop: string): (variables: Variables) => Variables {
  const withShop = allowShop(shop);
  return (variables) => ({ ...withShop(variables), ...allowLoopback(variables) });
}

/** The payment service of this machine calls from this machine. */
function allowLoopback({ ALLOWED_SOURCES }: Variables): Variables {
  if (ALLOWED_SOURCES === undefined) return {};
  const configured = sourcesSchema.parse(parseJson(ALLOWED_SOURCES));
  return { ALLOWED_SOURCES: JSON.stringify([...configured, "127.0.0.0/8", "::1"]) };
}
