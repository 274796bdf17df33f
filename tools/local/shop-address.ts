import { randomInt } from "node:crypto";
import { createServer } from "node:http";
import * as z from "zod";
import { parseJson } from "../../shared/json/parse-json.ts";
import {
  type RedirectRules,
  redirectRulesSchema,
} from "../../shared/storefront/redirect-faults.ts";
import { listenOnLoopback } from "./aws/listen-on-loopback.ts";
import { shopDistance } from "./local-options.ts";

/**
 * Where the demo shop will listen (`npm run shop`). Chosen before the shop runs, because the stack prints the address
 * when it starts.
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

/** Below the ephemeral ports: the shop may start minutes later, and the system assigns those to any program. */
function anyOwnPort(): number {
  return randomInt(10_000, 16_000);
}

async function ifFree(port: number): Promise<string> {
  const { endpoint, stop } = await listenOnLoopback(createServer(), port);
  await stop();
  return endpoint;
}

type Variables = Readonly<Record<string, string>>;

const listSchema = z.array(z.string());

/**
 * Settings that differ from the deployed template: the checkout may return to a local shop, and the payment service
 * calls from this machine.
 */
export function localVariables({
  REDIRECTS: redirects,
  ALLOWED_SOURCES: sources,
}: Variables): Variables {
  return {
    ...(redirects !== undefined && { REDIRECTS: withLoopback(redirects) }),
    ...(sources !== undefined && { ALLOWED_SOURCES: extended(sources, "127.0.0.1", "::1") }),
  };
}

function withLoopback(redirects: string): string {
  const configured = redirectRulesSchema.parse(parseJson(redirects));
  return JSON.stringify({ ...configured, loopback: true } satisfies RedirectRules);
}

/** A JSON list with more entries. */
function extended(list: string, ...more: string[]): string {
  const configured = listSchema.parse(parseJson(list));
  return JSON.stringify([...new Set([...configured, ...more])]);
}
