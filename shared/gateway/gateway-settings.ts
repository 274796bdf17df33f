import * as z from "zod/mini";

/**
 * The service's address. The path prefix is configurable because the interface writes its paths in two ways (§4.2,
 * §4.3).
 */
export const gatewaySettingsSchema = z.object({
  baseUrl: z.string(),
  pathPrefix: z.string(),
  paths: z.object({ create: z.string(), query: z.string() }),
  /** Whether create-order rejects order numbers that the service would shorten. */
  shortOrderNumbers: z._default(z.boolean(), false),
  /** Whether create-order requires the sums that §2.4 says should be equal. */
  exactSums: z._default(z.boolean(), true),
  /** The service's codes that say that the caller's request was wrong, and not the keys or the service. */
  callerCodes: z._default(z.array(z.string()), []),
});

export type GatewaySettings = z.output<typeof gatewaySettingsSchema>;

/** Joined as text: URL resolution would turn a path such as "//other" into another host. */
export function gatewayUrl({ baseUrl, pathPrefix }: GatewaySettings, path: string): URL {
  return new URL(`${baseUrl}${pathPrefix}${path}`);
}
