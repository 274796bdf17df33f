import * as z from "zod/mini";

/** Where the service is; the interface writes its paths in more than one way (§4.2, §4.3). */
export const gatewaySettingsSchema = z.object({
  baseUrl: z.string(),
  pathPrefix: z.string(),
  paths: z.object({ create: z.string(), query: z.string() }),
});

export type GatewaySettings = z.output<typeof gatewaySettingsSchema>;

/** Joined as text: if it were resolved against the base, a path such as "//other" would lead to another host. */
export function gatewayUrl({ baseUrl, pathPrefix }: GatewaySettings, path: string): URL {
  return new URL(`${baseUrl}${pathPrefix}${path}`);
}
