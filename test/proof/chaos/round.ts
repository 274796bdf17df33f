import { check } from "./check/check.ts";
import type { Evidence } from "./check/evidence.ts";
import { type DisturbanceKind, disturb } from "./disturber.ts";
import { type Round, type RuleResult, sum } from "./figures.ts";
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
  /** What happens to the orders. */
  readonly stories: readonly string[];
  /** The disturbances of the round. */
  readonly breaks: readonly DisturbanceKind[];
  /** How long the remaining work may take after that. */
  readonly patienceSeconds: number;
  readonly tell: (line: string) => void;
}

/** One run from an empty stack to the results. */
export async function runRound(options: RoundOptions): Promise<Round> {
  const { seed, seconds, tell } = options;
  const random = createRandom(seed);
  const world = await startWorld(random);
  try {
    const startedAt = Date.now();
    const endWatch = watchMachine(world.now);
    const shopper = createShopper(world, random.branch("shopper"), options.stories);
    const untilMilliseconds = Date.now() + seconds * 1_000;
    const [disturbances] = await Promise.all([
      disturb(world, random.branch("disturber"), options.breaks, { untilMilliseconds, tell }),
      shopper.shop(`C${seed}`, options.ordersPerSecond, untilMilliseconds),
    ]);
    tell("everything is repaired; waiting until all work is finished");
    const ending = await settle(world, shopper, options.patienceSeconds);
    const busy = await endWatch();
    const { posts } = world.relay;
    const { received } = world.consumers;
    const evidence: Evidence = {
      orders: shopper.orders,
      calls: shopper.calls,
      posts,
      asked: world.serviceLine.asked,
      received,
      ending,
      subscribers,
      callbackUrl: `${world.api}/callbacks`,
      disturbances: [...disturbances, ...world.passed],
      passed: world.passed,
      rotations: world.rotations,
      busy,
      keysOf: world.keysOf,
      ledger: world.simulator.orders(),
    };
    const results = check(evidence);
    explain(evidence, results, tell);
    const times = busy.map((busyTime) => busyTime.untilMilliseconds - busyTime.fromMilliseconds);
    return {
      seed,
      seconds,
      orders: shopper.orders.length,
      callbacks: posts.length,
      events: received.length,
      disturbances: disturbances.length,
      lastedSeconds: Math.round((Date.now() - startedAt) / 1_000),
      busySeconds: Math.round(sum(times) / 1_000),
      results,
    };
  } finally {
    await world.stop();
  }
}

const mostExplained = 3;

/** The first violations of each rule, with the whole history of their orders. */
function explain(evidence: Evidence, results: readonly RuleResult[], tell: (line: string) => void) {
  for (const { rule, violations, unjudged = [] } of results) {
    for (const message of unjudged.slice(0, mostExplained)) tell(`not judged, ${rule}: ${message}`);
    for (const { message, orderNo } of violations.slice(0, mostExplained)) {
      const story = evidence.orders.find((order) => order.orderNo === orderNo)?.story;
      tell(`${rule}: ${orderNo ?? ""} ${story ? `(${story})` : ""} ${message}`);
      if (orderNo !== undefined) for (const line of historyOf(evidence, orderNo)) tell(line);
    }
  }
}
