import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check } from "./check/check.ts";
import type { Evidence, RuleResult } from "./check/evidence.ts";
import { type Disturbance, type DisturbanceKind, disturb } from "./disturber.ts";
import { historyOf } from "./history.ts";
import { createRandom } from "./random.ts";
import { settle } from "./settle.ts";
import { createShopper } from "./shopper.ts";
import { watchMachine } from "./watch-machine.ts";
import { startWorld, subscribers } from "./world.ts";

export interface RoundOptions {
  readonly seed: number;
  readonly seconds: number;
  readonly ordersPerSecond: number;
  /** What becomes of the orders. */
  readonly stories: readonly string[];
  /** What is broken meanwhile. */
  readonly breaks: readonly DisturbanceKind[];
  /** How long everything may take to come to rest after that. */
  readonly patienceSeconds: number;
  readonly tell: (line: string) => void;
}

/** What one round did and found. */
export interface Round {
  readonly seed: number;
  readonly seconds: number;
  readonly orders: number;
  readonly callbacks: number;
  readonly events: number;
  readonly disturbances: number;
  /** For so long the machine had too much to do: errors of these times are not counted. */
  readonly busySeconds: number;
  readonly results: readonly RuleResult[];
}

/** One run from an empty stack to the results. */
export async function runRound(options: RoundOptions): Promise<Round> {
  const { seed, seconds, tell } = options;
  const random = createRandom(seed);
  const directory = join(tmpdir(), `paycast-chaos-${process.pid}-${seed}`);
  const world = await startWorld(directory, random);
  try {
    const endWatch = watchMachine(world.sqs);
    const shopper = createShopper(world, random.branch("shopper"), {
      ...options,
      name: `C${seed}`,
    });
    const untilMilliseconds = Date.now() + seconds * 1_000;
    const [disturbances] = await Promise.all([
      disturb(world, random.branch("disturber"), { only: options.breaks, untilMilliseconds, tell }),
      shopper.shop(options.ordersPerSecond, untilMilliseconds),
    ]);
    tell("everything is repaired; waiting until nothing is on its way");
    const ending = await settle(world, shopper.orders, shopper.calls, options.patienceSeconds);
    const busy = await endWatch();
    const evidence: Evidence = {
      ...{ orders: shopper.orders, calls: shopper.calls, ending },
      disturbances: [...disturbances, ...busy],
      ...{ ledger: world.simulator.orders(), posts: world.relay.posts, subscribers },
      ...{ received: world.consumers.received, keysOf: world.keysOf },
    };
    const results = check(evidence);
    explain(evidence, results, tell);
    return {
      ...{ seed, seconds, orders: shopper.orders.length, callbacks: world.relay.posts.length },
      ...{ events: world.consumers.received.length, disturbances: disturbances.length },
      ...{ busySeconds: secondsOf(busy), results },
    };
  } finally {
    await world.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

function secondsOf(times: readonly Disturbance[]): number {
  const milliseconds = times.map((one) => one.untilMilliseconds - one.fromMilliseconds);
  return Math.round(milliseconds.reduce((sum, one) => sum + one, 0) / 1_000);
}

const mostExplained = 3;

/** The first violations of each rule, with the whole history of their orders. */
function explain(evidence: Evidence, results: readonly RuleResult[], tell: (line: string) => void) {
  for (const { rule, violations } of results) {
    for (const { message, orderNo } of violations.slice(0, mostExplained)) {
      const story = evidence.orders.find((one) => one.orderNo === orderNo)?.story;
      tell(`${rule}: ${orderNo ?? ""} ${story ? `(${story})` : ""} ${message}`);
      if (orderNo !== undefined) for (const line of historyOf(evidence, orderNo)) tell(line);
    }
  }
}
