/** A contender of a comparison. It measures one round, or nothing once it is out. */
type Contender<Round, Sample> = (round: Round) => Promise<Sample | undefined>;

/** What each contender measured, one sample a round. */
type Samples<Sample> = Readonly<Record<string, readonly Sample[]>>;

/** How many times as much `slower` may take as `faster`. */
interface Bound {
  readonly slower: string;
  readonly faster: string;
  readonly atMost?: number;
  readonly atLeast?: number;
}

export interface Comparison {
  readonly title: string;
  readonly unit: "µs" | "ms";
  readonly rounds: number;
  /** The first one is the yardstick of what is printed. */
  readonly contenders: Readonly<Record<string, Contender<number, number>>>;
  readonly bounds: readonly Bound[];
  readonly stop?: () => Promise<void>;
}

/** Runs one comparison, prints it, and returns whether all its bounds hold. */
export async function holds(comparison: Comparison): Promise<boolean> {
  const { title, unit, rounds, contenders, bounds, stop } = comparison;
  const turns = Array.from({ length: rounds }, (_turn, index) => index);
  const samples = await inTurns(turns, contenders).finally(stop);
  const names = Object.keys(contenders);
  const [yardstick = ""] = names;
  console.log(`\n${title}\n`);
  for (const name of names) {
    const time = median(samples[name] ?? []).toFixed(1);
    const times = medianRatio(samples, name, yardstick).toFixed(2);
    console.log(`${name.padEnd(42)}${time.padStart(9)} ${unit}${times.padStart(8)} ×`);
  }
  return bounds.map((bound) => tellVerdict(samples, bound)).every(Boolean);
}

/** `slower` and `faster` are compared round by round, so a busy machine changes both sides of a ratio. */
function tellVerdict(samples: Samples<number>, bound: Bound): boolean {
  const { slower, faster, atMost = Infinity, atLeast = 0 } = bound;
  const ratio = medianRatio(samples, slower, faster);
  const isGood = ratio >= atLeast && ratio <= atMost;
  const range = [atLeast > 0 && `at least ${atLeast}`, atMost < Infinity && `at most ${atMost}`];
  console.log(
    `${isGood ? "PASS" : "FAIL"}  ${slower} takes ${ratio.toFixed(3)} × ${faster} (${range.filter(Boolean).join(", ")})`,
  );
  return isGood;
}

/**
 * Every contender measures in every round, in another order each time, so that whatever slows the machine for a while
 * slows them alike.
 */
export async function inTurns<Round, Sample>(
  rounds: readonly Round[],
  contenders: Readonly<Record<string, Contender<Round, Sample>>>,
): Promise<Samples<Sample>> {
  const all = Object.entries(contenders).map(([name, measure]) => {
    const samples: Sample[] = [];
    return { name, measure, samples };
  });
  for (const round of rounds) {
    for (const { measure, samples } of all) {
      const sample = await measure(round);
      if (sample !== undefined) samples.push(sample);
    }
    all.push(...all.splice(0, 1));
  }
  return Object.fromEntries(all.map(({ name, samples }) => [name, samples]));
}

/**
 * Microseconds of processor time per call of what does one message's work. Not by a clock: on a busy machine that also
 * counts what others do. The first round warms up.
 */
export function timed(
  work: () => unknown,
  { warmUpCalls, callsPerRound }: { readonly warmUpCalls: number; readonly callsPerRound: number },
): () => Promise<number> {
  let isWarm = false;
  return async () => {
    if (!isWarm) await timeCalls(work, warmUpCalls);
    isWarm = true;
    return await timeCalls(work, callsPerRound);
  };
}

async function timeCalls(work: () => unknown, calls: number): Promise<number> {
  const before = process.cpuUsage();
  for (let call = 0; call < calls; call++) {
    const outcome = work();
    // Awaiting what is no promise would cost the synchronous ones a turn of the event loop.
    if (outcome instanceof Promise) await outcome;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

/** The median of the rounds' own ratios. */
function medianRatio(samples: Samples<number>, slower: string, faster: string): number {
  const base = samples[faster] ?? [];
  return median((samples[slower] ?? []).map((value, round) => value / (base[round] ?? Number.NaN)));
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}
