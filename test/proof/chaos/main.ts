import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { type Round, runRound } from "./round.ts";

const help = `npm run chaos -- [options]

Runs a stack under outages, crashes and forgeries, and checks from outside that nothing was lost, doubled or wrong.

  --seed N          what is drawn (1); the same seed makes the same orders and faults
  --seconds N       how long one round is disturbed (90)
  --rate N          orders per second (4)
  --callbacks N     rounds, each with the next seed, until so many callbacks were sent (one round)
  --record FILE     keeps the figures of finished rounds; a run that was interrupted goes on there
  --help            print this
`;

/** `npm run chaos`. */
const { values } = parseArgs({
  options: {
    ...{ seed: { type: "string", default: "1" }, seconds: { type: "string", default: "90" } },
    ...{ rate: { type: "string", default: "4" }, callbacks: { type: "string", default: "1" } },
    ...{ record: { type: "string" }, help: { type: "boolean", default: false } },
  },
});
if (values.help) console.log(help);
else process.exitCode = (await runRounds()) ? 0 : 1;

async function runRounds(): Promise<boolean> {
  const rounds = readRounds(values.record);
  const wanted = Number(values.callbacks);
  const [seconds, ordersPerSecond] = [Number(values.seconds), Number(values.rate)];
  while (sum(rounds, ({ callbacks }) => callbacks) < wanted) {
    const seed = Number(values.seed) + rounds.length;
    console.log(`Round ${rounds.length + 1}, seed ${seed}, ${seconds} s`);
    const startedAt = Date.now();
    const tell = (line: string) =>
      console.log(`${String(Math.round((Date.now() - startedAt) / 1_000)).padStart(5)} s  ${line}`);
    const round = await runRound({ seed, seconds, ordersPerSecond, tell });
    rounds.push(round);
    writeRounds(values.record, rounds);
    report([round]);
    if (!isGood(round)) {
      console.log(
        `Repeat it: npm run chaos -- --seed ${seed} --seconds ${seconds} --rate ${ordersPerSecond}`,
      );
    }
  }
  if (rounds.length > 1) report(rounds);
  return rounds.every(isGood);
}

function isGood({ results }: Round): boolean {
  return results.every(({ violations }) => violations.length === 0);
}

function report(rounds: readonly Round[]): void {
  const total = (count: (round: Round) => number) => sum(rounds, count);
  console.log(
    `\n${total(({ orders }) => orders)} orders, ${total(({ callbacks }) => callbacks)} callbacks, ${total(({ events }) => events)} events received, ${total(({ disturbances }) => disturbances)} disturbances`,
  );
  for (const { rule } of rounds[0]?.results ?? []) {
    const mine = rounds.flatMap(({ results }) => results.filter((one) => one.rule === rule));
    const [wrong, checked] = [
      sum(mine, (one) => one.violations.length),
      sum(mine, (one) => one.checked),
    ];
    console.log(`  ${String(wrong).padStart(5)} of ${String(checked).padStart(6)}  ${rule}`);
    for (const line of mine.flatMap(({ attributed = [] }) => attributed))
      console.log(`         ${line}`);
  }
}

function sum<Item>(items: readonly Item[], numberOf: (item: Item) => number): number {
  return items.reduce((total, item) => total + numberOf(item), 0);
}

function readRounds(file: string | undefined): Round[] {
  if (file === undefined || !existsSync(file)) return [];
  return JSON.parse(readFileSync(file, "utf8"));
}

function writeRounds(file: string | undefined, rounds: readonly Round[]): void {
  if (file === undefined) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(rounds, undefined, 1));
}
