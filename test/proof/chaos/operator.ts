import { spawnPaycast } from "../../tools/operations/spawn-paycast.ts";

/** What a person would find to do, as `npx paycast attention list` tells it. */
export interface NeedsPerson {
  readonly id: string;
  readonly kind: string;
  readonly type?: string;
  readonly callbackId?: string;
  readonly receivedAt: string;
  readonly since: string;
  readonly orderNo?: string;
  readonly paymentId?: string;
  /** Those that have not got the event, each with the error of its queue. A notice has none. */
  readonly subscribers?: Readonly<Record<string, string>>;
}

export async function listNeeds(directory: string): Promise<readonly NeedsPerson[]> {
  const text = await paycast(directory, "attention", "list", "--limit", "10000", "--json");
  return JSON.parse(text).items;
}

/** Exactly these, so that nothing is redriven that nobody has judged. Does not wait for the outcome. */
export async function redrive(directory: string, items: readonly NeedsPerson[]): Promise<void> {
  const ids = items.map(({ id }) => id);
  if (ids.length > 0)
    await paycast(directory, "attention", "redrive", ...ids, "--wait", "0", "--yes");
}

export async function paycast(directory: string, ...words: string[]): Promise<string> {
  const { code, out, err } = await spawnPaycast(directory, ...words).ended;
  if (code === 0 || code === 1) return out.toString();
  throw new Error(`npx paycast ${words.join(" ")}: ${err}`);
}
