import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fill, takeSample } from "./fill.ts";
import { type Growth, paidOrder, type Thing, things } from "./things.ts";
import { startWorld, type Usage, usageOf, type World } from "./world.ts";

export interface Counted extends Usage {
  readonly what: string;
  readonly shown?: number;
}

async function withWorld<T>(subscribers: number, work: (world: World) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), "paycast-growth-"));
  try {
    const world = await startWorld(directory, subscribers);
    return await work(world).finally(() => world.stop());
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

export interface Round {
  /** How many records there were. */
  readonly size: number;
  readonly counted: readonly Counted[];
}

/** Counts everything at each size. `tell` gets the rounds so far, because the next one may take long. */
export async function countThings(
  sizes: readonly number[],
  wanted: readonly Thing[],
  tell: (rounds: readonly Round[]) => void = () => {},
): Promise<readonly Round[]> {
  return await withWorld(1, async (world) => {
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

async function countRound(world: World, wanted: readonly Thing[]): Promise<readonly Counted[]> {
  const counted: Counted[] = [];
  world.notePaid((await paidOrder(world)).orderNo);
  for (const { what, prepare } of wanted) {
    const { usage, result } = await usageOf(world.calls, await prepare(world));
    counted.push({ what, ...usage, ...(typeof result === "number" && { shown: result }) });
    world.calls.length = 0;
  }
  return counted;
}

/** The calls of a payment and of the console's flow, for each number of subscribers. */
export async function countSubscribers(numbers: readonly number[]): Promise<readonly Usage[][]> {
  const counted: Usage[][] = [];
  const wanted = things.filter(({ what }) => /two callbacks|flow/.test(what));
  for (const number of numbers) {
    const usages = await withWorld(number, async (world) => {
      const all: Usage[] = [];
      for (const { prepare } of wanted) {
        all.push((await usageOf(world.calls, await prepare(world))).usage);
      }
      return all;
    });
    counted.push(usages);
  }
  return counted;
}

/** What grows with what is stored, in words. Nothing, if all is well. */
export function faultsOf(rounds: readonly Round[]): readonly string[] {
  const [first, last] = [rounds[0], rounds.at(-1)];
  return (last?.counted ?? []).flatMap((now, index) => {
    const before = first?.counted[index] ?? now;
    const growth = things.find(({ what }) => what === now.what)?.growth;
    const fault = `${now.what}: ${textOf(before)} of ${first?.size}, ${textOf(now)} of ${last?.size}`;
    return isWithin(growth, before, now) ? [] : [fault];
  });
}

function isWithin(growth: Growth | undefined, before: Counted, now: Counted): boolean {
  const kinds = ["calls", "read", "write"] as const;
  if (growth === "flat") return kinds.every((kind) => now[kind] === before[kind]);
  if (typeof growth === "number") return now.read <= growth && now.write === 0;
  // Each shard has a first page, and each event that is shown is at most one unit of the index and its record.
  return now.read <= 8 + (now.shown ?? 0);
}

export function textOf({ calls, read, write, shown }: Counted): string {
  return `${calls} / ${read} / ${write}${shown === undefined ? "" : ` for ${shown}`}`;
}
