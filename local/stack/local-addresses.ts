export interface LocalAddresses {
  /** Puts the local address wherever a text holds the one the same thing has at AWS. */
  rewrite(text: string): string;
}

/**
 * A template may build an address from parts (`https://`, the API's id, the region) or take one from the config
 * (a custom domain, the payment service). A function that called such an address would leave the machine.
 */
export function createLocalAddresses(
  /** Local addresses by the origin they stand in for. */
  origins: Readonly<Record<string, string>>,
): LocalAddresses {
  const rewrite = (text: string) =>
    Object.entries(origins).reduce(
      (rewritten, [origin, local]) => rewritten.replace(exactly(origin), local),
      text,
    );
  return { rewrite };
}

/** The origin itself, not the beginning of a longer host name or port. */
function exactly(origin: string): RegExp {
  return new RegExp(`${origin.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\w.:-])`, "g");
}
