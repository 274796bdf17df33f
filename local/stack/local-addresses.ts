import { localAccountId } from "../aws/emulator.ts";

export interface LocalAddresses {
  /** Puts the local address wherever a text holds the one the same thing has at AWS. */
  rewrite(text: string): string;
  /** Queues that the stack does not make but some text named; they need a stand-in here. */
  readonly foreignQueueNames: ReadonlySet<string>;
}

/**
 * A template may build an address from parts (`https://`, the API's id, the region) or take one from the config
 * (a custom domain, the payment service, another account's queue). A function that called such an address would
 * leave the machine.
 */
export function createLocalAddresses(options: {
  readonly sqsEndpoint: string;
  /** Local addresses by the origin they stand in for. */
  readonly origins: Readonly<Record<string, string>>;
}): LocalAddresses {
  const foreignQueueNames = new Set<string>();
  const standIn = (_url: string, name: string) => {
    foreignQueueNames.add(name);
    return `${options.sqsEndpoint}/${localAccountId}/${name}`;
  };
  const rewrite = (text: string) =>
    Object.entries(options.origins)
      .reduce((rewritten, [origin, local]) => rewritten.replace(exactly(origin), local), text)
      .replace(queueUrl, standIn);
  return { rewrite, foreignQueueNames };
}

const queueUrl = /https:\/\/sqs\.[a-z0-9-]+\.amazonaws\.com\/\d{12}\/([A-Za-z0-9_-]+(?:\.fifo)?)/g;

/** The origin itself, not the beginning of a longer host name or port. */
function exactly(origin: string): RegExp {
  return new RegExp(`${origin.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\w.:-])`, "g");
}
