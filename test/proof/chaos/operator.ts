import { spawnPaycast } from "../../tools/operations/spawn-paycast.ts";

/** The items of `npx paycast attention list`. */
export interface NeedsPerson {
  readonly id: string;
  readonly kind: string;
  readonly type?: string;
  readonly callbackId?: string;
  readonly receivedAt: string;
  readonly since: string;
  readonly orderNo?: string;
  readonly paymentId?: string;
  /** The subscribers without the event, each with the error of its queue. A notice has none. */
  readonly subscribers?: Readonly<Record<string, string>>;
}

export async function listNeeds(directory: string): Promise<readonly NeedsPerson[]> {
  const text = await paycast(directory, "attention", "list", "--limit", "10000", "--json");
  return JSON.parse(text).items;
}

export function isUndeliverable({ kind }: NeedsPerson): boolean {
  return kind === "undeliverable";
}

const mostRedrives = 5;

/**
 * Redrives only these, so that no item is redriven before the checker has seen it. Does not wait for the outcome. If an
 * item was settled since it was listed, the command redrives none, and is repeated without it.
 */
export async function redrive(directory: string, items: readonly NeedsPerson[]): Promise<void> {
  let ids = items.map(({ id }) => id);
  for (let tries = 1; ids.length > 0; tries += 1) {
    const words = ["attention", "redrive", ...ids, "--wait", "0", "--yes"];
    const { code, err } = await spawnPaycast(directory, ...words).ended;
    if (code === 0 || code === 1) return;
    if (tries === mostRedrives) throw new Error(`npx paycast ${words.join(" ")}: ${err}`);
    const listed = (await listNeeds(directory)).map(({ id }) => id);
    ids = ids.filter((id) => listed.includes(id));
  }
}

/** An order as `npx paycast orders` lists it. */
export interface ListedOrder {
  readonly orderNo: string;
  readonly merchantId: string;
}

const mostPages = 200;

/** All pages of a range of time. A page ends after 200 orders or 14 days. */
export async function listOrders(
  directory: string,
  fromMilliseconds: number,
  untilMilliseconds: number,
): Promise<readonly ListedOrder[]> {
  const range = ["--from", asTime(fromMilliseconds), "--until", asTime(untilMilliseconds)];
  const listed: ListedOrder[] = [];
  let after: string[] = [];
  for (let page = 0; page < mostPages; page += 1) {
    const words = ["orders", ...range, ...after, "--limit", "200", "--json"];
    const { orders, next } = JSON.parse(await paycast(directory, ...words));
    listed.push(...orders);
    if (next === undefined) return listed;
    after = ["--after", next];
  }
  throw new Error(`npx paycast orders had more than ${mostPages} pages.`);
}

function asTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

export async function paycast(directory: string, ...words: string[]): Promise<string> {
  const { code, out, err } = await spawnPaycast(directory, ...words).ended;
  if (code === 0 || code === 1) return out.toString();
  throw new Error(`npx paycast ${words.join(" ")}: ${err}`);
}
