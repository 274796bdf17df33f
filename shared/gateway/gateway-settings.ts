import * as z from "zod/mini";

/** Where the service is; the interface writes its paths in more than one way (§4.2, §4.3). */
export const gatewaySettingsSchema = z.object({
  baseUrl: z.string(),
  pathPrefix: z.string(),
  paths: z.object({ create: z.string(), query: z.string() }),
});

export type GatewaySettings = z.output<typeof gatewaySettingsSchema>;

/** Put together as text: resolved against the base, a path like "//other" would lead to another host. */
export function gatewayUrl(settings: GatewaySettings, operation: "create" | "query"): URL {
  return new URL(`${settings.baseUrl}${settings.pathPrefix}${settings.paths[operation]}`);
}
