import { RequestHash } from "./request-hash.ts";

/**
 * For clients whose calls have no options: a call with options makes the SDK build its list of middleware again. Their
 * callers repeat a call themselves, within its time limit (in-time.ts, table/patiently.ts).
 */
export const leanSettings = {
  cacheMiddleware: true,
  sha256: RequestHash,
  maxAttempts: 1,
} as const;

/**
 * The limits of one attempt. The second is for the response to begin, the third for a response that stops in the
 * middle: without it, the connection would stay in use for ever.
 */
export function attemptLimits(milliseconds: number) {
  return {
    connectionTimeout: Math.min(500, milliseconds / 2),
    requestTimeout: milliseconds,
    socketTimeout: milliseconds,
    throwOnRequestTimeout: true,
  };
}

interface Client {
  readonly middlewareStack: { readonly remove: (name: string) => boolean };
}

/** For each call the SDK copies input and output, for a logger that these clients do not have. */
export function withoutLogger<C extends Client>(client: C): C {
  client.middlewareStack.remove("loggerMiddleware");
  return client;
}
