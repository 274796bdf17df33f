export interface LocalAddresses {
  /** Replaces addresses at AWS in a text with the local ones. */
  rewrite(text: string): string;
}

/**
 * A template may build an address from parts (`https://`, the API's id, the region) or take one from the config
 * (a custom domain, the payment service). A function that calls such an address would leave this machine.
 */
export function createLocalAddresses(
  /** The local address for each origin. */
  origins: Readonly<Record<string, string>>,
): LocalAddresses {
  const rewrite = (text: string) =>
    Object.entries(origins).reduce(
      (rewritten, [origin, local]) => rewritten.replace(exactly(origin), local),
      text,
    );
  return { rewrite };
}

/** Matches the origin itself and not a longer host name or port that starts the same way. */
function exactly(origin: string): RegExp {
  return new RegExp(`${origin.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\w.:-])`, "g");
}
