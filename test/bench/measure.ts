/** A thing to be timed; each call does one message's work. */
export type Contender = () => unknown;

export interface Timings {
  /** Microseconds of processor time per call, one entry a round. */
  readonly [name: string]: readonly number[];
}

/**
 * Times all contenders in every round, in another order each time, so that whatever slows the machine for a
 * while slows them alike. Processor time, since on a busy machine a clock also counts what others do.
 * Compare by `medianRatio`, which holds each round against itself.
 */
export async function measure(
  contenders: Readonly<Record<string, Contender>>,
  options: {
    readonly warmUpCalls: number;
    readonly rounds: number;
    readonly callsPerRound: number;
  },
): Promise<Timings> {
  const names = Object.keys(contenders);
  const timings = Object.fromEntries(names.map((name): [string, number[]] => [name, []]));
  for (const contender of Object.values(contenders))
    await timeCalls(contender, options.warmUpCalls);
  for (let round = 0; round < options.rounds; round++) {
    for (const name of rotate(names, round)) {
      const contender = contenders[name];
      if (contender === undefined) continue;
      timings[name]?.push(await timeCalls(contender, options.callsPerRound));
    }
  }
  return timings;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

/** How many times longer `slower` takes than `faster`: the median of the rounds' own ratios. */
export function medianRatio(timings: Timings, slower: string, faster: string): number {
  const base = timings[faster] ?? [];
  const ratios = (timings[slower] ?? []).map((value, round) => value / (base[round] ?? Number.NaN));
  return median(ratios);
}

async function timeCalls(contender: Contender, calls: number): Promise<number> {
  const before = process.cpuUsage();
  for (let call = 0; call < calls; call++) {
    const outcome = contender();
    // Awaiting what is no promise would cost the synchronous ones a turn of the event loop.
    if (outcome instanceof Promise) await outcome;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

function rotate(names: readonly string[], by: number): string[] {
  const start = by % names.length;
  return [...names.slice(start), ...names.slice(0, start)];
}
