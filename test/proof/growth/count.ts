import { table } from "../../../tools/contract/documents/markdown-table.ts";
import { sum } from "../chaos/figures.ts";
import { fill, takeSample } from "./fill.ts";
import { type Growth, paidOrder, type Thing, things } from "./things.ts";
import { startWorld, type World } from "./world.ts";

/** The AWS calls of one action. */
export interface Usage {
  readonly calls: number;
  readonly read: number;
  readonly write: number;
}

export interface Counted extends Usage {
  readonly what: string;
  readonly shown?: number;
}

export interface Round {
  /** How many records there were. */
  readonly size: number;
  readonly counted: readonly Counted[];
}

/** Counts everything at each size. `tell` gets the rounds so far, because the next one may take a long time. */
export async function countThings(
  sizes: readonly number[],
  wanted: readonly Thing[],
  tell: (rounds: readonly Round[]) => void = () => {},
): Promise<readonly Round[]> {
  return await inWorld(1, async (world) => {
    const sample = await takeSample(world, await paidOrder(world, "GROWTH-0000000"));
    const rounds: Round[] = [];
    let size = 2;
    for (const most of sizes) {
      size = await fill(world, sample, size, most);
      rounds.push({ size, counted: await countRound(world, wanted) });
      tell(rounds);
    }
    return rounds;
  });
}

/** The calls of a payment and of the console's flow, for each number of subscribers. */
export async function countSubscribers(numbers: readonly number[]) {
  const wanted = things.filter(({ what }) => /two callbacks|flow/.test(what));
  const counted: (readonly Usage[])[] = [];
  for (const number of numbers) {
    const round = await inWorld(number, (world) => countRound(world, wanted));
    counted.push(round.map(({ calls, read, write }) => ({ calls, read, write })));
  }
  return counted;
}

async function inWorld<T>(subscribers: number, work: (world: World) => Promise<T>): Promise<T> {
  const world = await startWorld(subscribers);
  return await work(world).finally(() => world.stop());
}

async function countRound(world: World, wanted: readonly Thing[]): Promise<readonly Counted[]> {
  const counted: Counted[] = [];
  const { orderNo } = await paidOrder(world);
  for (const { what, prepare } of wanted) {
    const work = await prepare(world, orderNo);
    world.calls.length = 0;
    const shown = await work();
    counted.push({ what, ...usageOf(world.calls), ...(typeof shown === "number" && { shown }) });
  }
  return counted;
}

function usageOf(calls: World["calls"]): Usage {
  const units = (isWrite: boolean) => {
    const some = calls.filter(
      ({ operation }) => /Write|Put|Update|Delete/.test(operation) === isWrite,
    );
    const consumed = some.flatMap((call) => call.consumed ?? []);
    return sum(consumed.map(({ CapacityUnits }) => CapacityUnits));
  };
  return { calls: calls.length, read: units(false), write: units(true) };
}

/** A text for each thing that grows with the stored data. Empty if nothing does. */
export function faultsOf(rounds: readonly Round[]): readonly string[] {
  const [first] = rounds;
  return rounds.flatMap(({ counted, size }) =>
    counted.flatMap((now, index) => {
      const before = first?.counted[index] ?? now;
      const growth = things.find(({ what }) => what === now.what)?.growth;
      const fault = `${now.what}: ${textOf(before)} of ${first?.size}, ${textOf(now)} of ${size}`;
      return isWithin(growth, before, now) ? [] : [fault];
    }),
  );
}

function isWithin(growth: Growth | undefined, before: Counted, now: Counted): boolean {
  const kinds = ["calls", "read", "write"] as const;
  if (growth === "flat") return kinds.every((kind) => now[kind] === before[kind]);
  if (typeof growth === "number") return now.read <= growth && now.write === 0;
  // Each shard has a first page, and each event that is shown is at most one unit of the index and its record.
  return now.read <= 8 + (now.shown ?? 0);
}

/** The table of docs/scale.md: for each thing its calls, read units and write units at each size. */
export function growthTable(rounds: readonly Round[]): string {
  const sizes = rounds.map(({ size }) => `${size.toLocaleString("en-US")} records`);
  const rows = things.map(({ what, growth }) => {
    const own = rounds.flatMap(({ counted }) => counted.filter((usage) => usage.what === what));
    const words = { flat: "no", shown: "with what it shows" };
    const grows = typeof growth === "number" ? `up to ${growth} read units` : words[growth];
    return [what, ...own.map(textOf), grows];
  });
  return table(["what", ...sizes, "grows"], rows);
}

function textOf({ calls, read, write, shown }: Counted): string {
  return `${calls} / ${read} / ${write}${shown === undefined ? "" : ` for ${shown}`}`;
}
