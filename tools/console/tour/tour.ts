import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { controlService } from "../../operations/calling/service-control.ts";
import { isAvailable } from "../../operations/ports/available.ts";
import type { ConsoleContext, Lab } from "../console-context.ts";
import type { Job, JobControl } from "../server/jobs.ts";
import { playScenario, type Scenario, type TourRun } from "./play-scenario.ts";
import { duplicateStorm } from "./scenarios/duplicate-storm.ts";
import { forged } from "./scenarios/forged.ts";
import { keysRotated } from "./scenarios/keys-rotated.ts";
import { lost } from "./scenarios/lost.ts";
import { paid } from "./scenarios/paid.ts";
import { subscriberDown } from "./scenarios/subscriber-down.ts";

/**
 * In the order of the tour. The forgeries come last: after a rejection an instance looks for new keys at most once a
 * minute, so a key rotation right after them would take a minute to show.
 */
const scenarios: readonly Scenario[] = [
  paid,
  duplicateStorm,
  subscriberDown,
  lost,
  keysRotated,
  forged,
];

interface TourOptions extends Pick<ConsoleContext, "target" | "jobs" | "changed"> {
  readonly lab: Lab;
}

interface Playing {
  job: Job | undefined;
  waiting: readonly Scenario[];
}

/**
 * The tour and the last result of each scenario. It runs as a job, so every view shows it, and it stops with the
 * console.
 */
export function createTour(options: TourOptions) {
  const runs = new Map<string, TourRun>();
  let playing: Playing | undefined;
  const note = (name: string, run: TourRun) => {
    runs.set(name, run);
    options.changed();
  };
  const over = () => {
    playing = undefined;
    options.changed();
  };
  return {
    view: () => viewOf(runs, playing),
    /** Plays one scenario, or all. Throws `wrong-usage` while a scenario is running or a fault is active. */
    start: async (name: string | undefined) => {
      if (playing !== undefined) throw alreadyPlaying();
      const chosen = scenarios.filter((scenario) => name === undefined || scenario.name === name);
      if (chosen.length === 0) throw new PaycastError("not-found", "This scenario does not exist.");
      const own: Playing = { job: undefined, waiting: chosen };
      playing = own;
      await refuseIfBroken(options).catch((error: unknown) => {
        over();
        throw error;
      });
      const title = chosen.length === 1 ? `Tour: ${chosen[0]?.title}` : "The whole tour";
      const run = (control: JobControl) => playAll(own, options, control, note).finally(over);
      own.job = options.jobs.start({ title, run });
    },
    /** Stops it and undoes its changes. */
    stop: () => {
      if (playing?.job !== undefined) options.jobs.stop(playing.job.id);
    },
  };
}

type Note = (name: string, run: TourRun) => void;

/** One after the other. Returns the result in words. */
async function playAll(
  own: Playing,
  options: TourOptions,
  control: JobControl,
  note: Note,
): Promise<string> {
  const results: TourRun[] = [];
  while (own.waiting.length > 0 && !control.stopped.aborted) {
    const [scenario, ...rest] = own.waiting;
    own.waiting = rest;
    if (scenario !== undefined) results.push(await playOne(scenario, options, control, note));
  }
  return outcomeOf(results);
}

async function playOne(
  scenario: Scenario,
  { target, lab }: TourOptions,
  { stopped, tell }: JobControl,
  note: Note,
): Promise<TourRun> {
  return await playScenario(scenario, { target: await target(), lab, stopped }, (run) => {
    const step = run.steps.find(({ state }) => state === "running");
    tell(step === undefined ? scenario.title : `${scenario.title}: ${step.title}`);
    note(scenario.name, run);
  });
}

export type TourView = ReturnType<typeof viewOf>;
export type TourCard = TourView["cards"][number];

function viewOf(runs: ReadonlyMap<string, TourRun>, playing: Playing | undefined) {
  const isNext = (name: string) =>
    playing?.waiting.some((scenario) => scenario.name === name) ?? false;
  return {
    isRunning: playing !== undefined,
    cards: scenarios.map(({ name, title, summary }) => ({
      name,
      title,
      summary,
      /** The last run. Undefined if it was never played. */
      run: runs.get(name),
      /** Waits for the scenarios before it. */
      isNext: isNext(name),
    })),
  };
}

/** Throws if something was not proven, so that the job is shown as failed. */
function outcomeOf(runs: readonly TourRun[]): string {
  if (runs.some(({ state }) => state === "stopped")) return "Stopped, and its changes are undone.";
  const proven = runs.filter(({ state }) => state === "proven");
  const summary = `${proven.length} of ${runs.length} proven.`;
  const [only] = runs;
  if (proven.length < runs.length) throw new PaycastError("local-tour-failed", summary);
  return runs.length === 1 ? (only?.proof?.sentence ?? summary) : summary;
}

function alreadyPlaying(): PaycastError {
  const message = "The tour is running. Wait until it ends, or stop it.";
  return new PaycastError("wrong-usage", message);
}

/** With active faults, a scenario would prove nothing. */
async function refuseIfBroken({ target, lab }: TourOptions): Promise<void> {
  const { local } = (await target()).stack;
  const { outages, brokenSubscribers } = lab.breakage();
  const faults = isAvailable(local) ? (await controlService(local.simulator).faults()).faults : [];
  const forAll = faults.filter(({ orderNo }) => orderNo === undefined);
  if (outages.length + brokenSubscribers.length + forAll.length === 0) return;
  const message =
    "Faults are active, so a scenario would prove nothing. Clear all faults in the Lab first.";
  throw new PaycastError("wrong-usage", message);
}
