import { isIP } from "node:net";
import { plainText, type Route } from "./route.ts";

/**
 * Answers only at addresses that nobody else can claim. Anyone can let a name of their own point to this machine, and
 * their page could then read the answers here (DNS rebinding). `publicUrl` is the address that the user gave.
 */
export function onlyAtOwnAddress(routes: readonly Route[], publicUrl?: string): Route[] {
  const publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).hostname;
  return routes.map((route) => ({
    ...route,
    handle: (visit, parts) => {
      const name = hostName(visit.host);
      if (isOwn(name) || name === publicHost) return route.handle(visit, parts);
      return plainText(403, "Open the simulator at its own address, for example 127.0.0.1.");
    },
  }));
}

function hostName(host: string): string {
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : "";
}

/** An IP address cannot be made to point elsewhere, and browsers keep `localhost` on the machine. */
function isOwn(name: string): boolean {
  return name === "localhost" || isIP(name.replace(/^\[|\]$/g, "")) !== 0;
}
