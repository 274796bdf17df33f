import { readOptions, refuse } from "../../setup/read-options.ts";
import { commitHere, readFigures, writeFigures } from "../measured.ts";
import { disturbanceKinds } from "./disturber.ts";
import { type ChaosFigures, countsOf, type Round, sum, summaryOf } from "./figures.ts";
import { runRound } from "./round.ts";
import { allStories } from "./stories.ts";
import { runUntilJudged, type Verdict, verdictOf } from "./verdict.ts";

const help = `npm run chaos -- [options]

Runs the stack under outages, crashes and forgeries. Then checks from outside that no payment was lost, doubled or wrong.
A round is "not judged" if a busy machine can explain its errors. It is repeated, at most twice.

  --seed N          seed of the random choices (1); the same seed draws the same orders and faults
  --seconds N       how long faults are injected in each round (90)
  --rate N          orders per second (4)
  --callbacks N     run rounds, each with the next seed, until at least N callbacks were sent (one round)
  --break "A;B"     kinds of faults (all: ${disturbanceKinds.join(";")})
  --stories "A;B"   what happens to the orders (all; the names are in test/proof/chaos/stories.ts)
  --patience N      seconds to wait for all work to finish after the faults (900)
  --record FILE     write the figures of finished rounds to FILE; an interrupted run continues from there
  --help            print this help
`;

/** `npm run chaos`. */
const values = readOptions(help, {
  seed: { type: "string", default: "1" },
  seconds: { type: "string", default: "90" },
  rate: { type: "string", default: "4" },
  callbacks: { type: "string", default: "1" },
  break: { type: "string", default: disturbanceKinds.join(";") },
  stories: { type: "string", default: allStories.join(";") },
  patience: { type: "string", default: "900" },
  record: { type: "string" },
});
process.exitCode = (await runRounds()) ? 0 : 1;

async function runRounds(): Promise<boolean> {
  const { record } = values;
  const kept = record === undefined ? undefined : readFigures<ChaosFigures>(record);
  const rounds = [...(kept?.rounds ?? [])];
  while (sum(rounds.map(({ callbacks }) => callbacks)) < wholeNumber("callbacks")) {
    const round = await runUntilJudged(() => runNext(rounds.length), judge);
    if (judge(round) === "not judged") return false;
    rounds.push({ commit: commitHere(), ...round });
    if (record !== undefined) writeFigures<ChaosFigures>(record, { rounds });
  }
  if (rounds.length > 1) report(rounds);
  return rounds.every((round) => judge(round) === "right");
}

async function runNext(done: number): Promise<Round> {
  const [seed, seconds] = [wholeNumber("seed") + done, wholeNumber("seconds")];
  console.log(`Round ${done + 1}, seed ${seed}, ${seconds} s`);
  const startedAt = Date.now();
  const round = await runRound({
    seed,
    seconds,
    ordersPerSecond: wholeNumber("rate"),
    breaks: namesIn("break", disturbanceKinds),
    stories: namesIn("stories", allStories),
    patienceSeconds: wholeNumber("patience"),
    tell: (line) => {
      const passedSeconds = Math.round((Date.now() - startedAt) / 1_000);
      console.log(`${String(passedSeconds).padStart(5)} s  ${line}`);
    },
  });
  if (round.callbacks === 0) throw new Error("No callback was sent in this round.");
  report([round]);
  const verdict = judge(round);
  if (verdict === "not judged")
    console.log("Not judged: the machine was too busy, or a rule could check too few cases.");
  if (verdict !== "right") console.log(`To repeat it: npm run chaos -- ${repeat(round)}`);
  return round;
}

function repeat({ seed, seconds }: Round): string {
  return `--seed ${seed} --seconds ${seconds} --rate ${values.rate} --break "${values.break}" --stories "${values.stories}"`;
}

/** The names in an option, each of which must be known. */
function namesIn<Name extends string>(option: "break" | "stories", known: readonly Name[]): Name[] {
  const names = values[option].split(";");
  const unknown = names.find((name) => !known.some((knownName) => knownName === name));
  if (unknown !== undefined)
    refuse(`--${option} does not have "${unknown}". It has: ${known.join("; ")}.`);
  return known.filter((knownName) => names.includes(knownName));
}

function wholeNumber(option: "seed" | "seconds" | "rate" | "callbacks" | "patience"): number {
  const value = Number(values[option]);
  if (Number.isSafeInteger(value) && value > 0) return value;
  return refuse(`--${option} is "${values[option]}", not a positive integer.`);
}

function judge(round: Round): Verdict {
  const isAllBroken = namesIn("break", disturbanceKinds).length === disturbanceKinds.length;
  const hasAll = isAllBroken && namesIn("stories", allStories).length === allStories.length;
  return verdictOf(round, hasAll);
}

function report(rounds: readonly Round[]): void {
  console.log(`\n${summaryOf({ rounds })}`);
  const busySeconds = sum(rounds.map((round) => round.busySeconds));
  if (busySeconds > 0) console.log(`The machine was busy for ${busySeconds} s.`);
  for (const { rule, checked, excused, wrong, attributed, unjudged } of countsOf({ rounds })) {
    const beside = excused > 0 ? ` (${excused} more excused)` : "";
    console.log(
      `  ${String(wrong).padStart(5)} of ${String(checked).padStart(6)}  ${rule}${beside}`,
    );
    for (const line of attributed) console.log(`         ${line}`);
    if (unjudged.length > 0) console.log(`         ${unjudged.length} more not judged`);
  }
}
