import { parseArgs } from "node:util";
import { readFigures, writeFigures } from "../measured.ts";
import { disturbanceKinds } from "./disturber.ts";
import { type Round, runRound } from "./round.ts";
import { allStories } from "./shopper.ts";

const help = `npm run chaos -- [options]

Runs a stack under outages, crashes and forgeries, and checks from outside that nothing was lost, doubled or wrong.

  --seed N          what is drawn (1); the same seed makes the same orders and faults
  --seconds N       how long one round is disturbed (90)
  --rate N          orders per second (4)
  --callbacks N     rounds, each with the next seed, until so many callbacks were sent (one round)
  --break "A;B"     what is broken (${disturbanceKinds.join(";")})
  --stories "A;B"   what becomes of the orders (all: shopper.ts has their names)
  --patience N      seconds until it gives up waiting for everything to come to rest (900)
  --record FILE     keeps the figures of finished rounds; a run that was interrupted goes on there
  --help            print this
`;

interface Recorded {
  readonly rounds: Round[];
}

/** `npm run chaos`. */
const { values } = parseArgs({
  options: {
    ...{ seed: { type: "string", default: "1" }, seconds: { type: "string", default: "90" } },
    ...{ rate: { type: "string", default: "4" }, callbacks: { type: "string", default: "1" } },
    ...{ break: { type: "string", default: disturbanceKinds.join(";") } },
    ...{ stories: { type: "string", default: allStories.join(";") } },
    ...{ patience: { type: "string", default: "900" } },
    ...{ record: { type: "string" }, help: { type: "boolean", default: false } },
  },
});
if (values.help) console.log(help);
else process.exitCode = (await runRounds()) ? 0 : 1;

async function runRounds(): Promise<boolean> {
  const { record } = values;
  const rounds = (record && readFigures<Recorded>(record)?.rounds) || [];
  const [wanted, firstSeed] = [wholeNumber("callbacks"), wholeNumber("seed")];
  const [seconds, ordersPerSecond] = [wholeNumber("seconds"), wholeNumber("rate")];
  const patienceSeconds = wholeNumber("patience");
  const breaks = namesIn("break", disturbanceKinds);
  const stories = namesIn("stories", allStories);
  const options = { seconds, ordersPerSecond, breaks, stories, patienceSeconds };
  while (sum(rounds, ({ callbacks }) => callbacks) < wanted) {
    const seed = firstSeed + rounds.length;
    console.log(`Round ${rounds.length + 1}, seed ${seed}, ${seconds} s`);
    const startedAt = Date.now();
    const tell = (line: string) =>
      console.log(`${String(Math.round((Date.now() - startedAt) / 1_000)).padStart(5)} s  ${line}`);
    const round = await runRound({ ...options, seed, tell });
    if (round.callbacks === 0) throw new Error("No callback was sent in this round.");
    rounds.push(round);
    if (record !== undefined) writeFigures<Recorded>(record, { rounds });
    report([round]);
    if (!isGood(round)) {
      console.log(
        `Repeat it: npm run chaos -- --seed ${seed} --seconds ${seconds} --rate ${ordersPerSecond} --break "${values.break}" --stories "${values.stories}"`,
      );
    }
  }
  if (rounds.length > 1) report(rounds);
  return rounds.every(isGood);
}

/** The names in an option, each of which must be known. */
function namesIn<Name extends string>(option: "break" | "stories", known: readonly Name[]): Name[] {
  const names = values[option].split(";");
  const unknown = names.find((name) => !known.some((one) => one === name));
  if (unknown !== undefined) throw new Error(`--${option} knows no "${unknown}".`);
  return known.filter((one) => names.includes(one));
}

function wholeNumber(option: "seed" | "seconds" | "rate" | "callbacks" | "patience"): number {
  const value = Number(values[option]);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new Error(`--${option} is "${values[option]}", not a whole number above 0.`);
}

function isGood({ results }: Round): boolean {
  return results.every(({ violations }) => violations.length === 0);
}

function report(rounds: readonly Round[]): void {
  const total = (count: (round: Round) => number) => sum(rounds, count);
  console.log(
    `\n${total(({ orders }) => orders)} orders, ${total(({ callbacks }) => callbacks)} callbacks, ${total(({ events }) => events)} events received, ${total(({ disturbances }) => disturbances)} disturbances`,
  );
  const busySeconds = total((round) => round.busySeconds);
  if (busySeconds > 0) console.log(`The machine had too much to do for ${busySeconds} s.`);
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
