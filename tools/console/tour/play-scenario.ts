import { messageOf } from "../server/route.ts";
import {
  type OrderName,
  openPlayground,
  type Playground,
  type PlaygroundOptions,
} from "./playground.ts";

/** An observation from a step. */
export interface Evidence {
  readonly text: string;
  /** The order whose timeline shows it. */
  readonly order?: OrderName;
}

export type Tell = (text: string, order?: OrderName) => void;

export interface Step {
  readonly title: string;
  readonly run: (tell: Tell) => Promise<void>;
}

/** What must hold, and what was found. */
export interface Claim {
  readonly claim: string;
  readonly found: string;
  readonly holds: boolean;
}

/** It holds if every claim does. */
export interface Proof {
  /** The finding in one sentence. */
  readonly sentence: string;
  readonly claims: readonly Claim[];
}

interface Plan {
  readonly steps: readonly Step[];
  /** Reads the tables, the queues and the logs after the last step. */
  readonly prove: () => Promise<Proof>;
}

/** One scenario of the tour. */
export interface Scenario {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  /** The speed of the payment service's clock during the scenario. */
  readonly clockSpeed: number;
  readonly plan: (playground: Playground) => Plan;
}

export interface StepRun {
  readonly title: string;
  readonly state: "waiting" | "running" | "done" | "stopped" | "failed";
  readonly evidence: readonly Evidence[];
}

/** One run of a scenario and its progress. */
export interface TourRun {
  readonly state: "running" | "proven" | "failed" | "stopped";
  readonly startedAt: string;
  readonly endedAt: string | undefined;
  readonly steps: readonly StepRun[];
  readonly proof: Proof | undefined;
  /** Why it did not complete. */
  readonly problem: string | undefined;
}

type Surroundings = Omit<PlaygroundOptions, "clockSpeed">;

/** Runs a scenario to its end, even if something fails. `note` receives every change. Never throws. */
export async function playScenario(
  scenario: Scenario,
  surroundings: Surroundings,
  note: (run: TourRun) => void,
): Promise<TourRun> {
  let run: TourRun = {
    state: "running",
    startedAt: new Date().toISOString(),
    endedAt: undefined,
    steps: [],
    proof: undefined,
    problem: undefined,
  };
  const update = (news: Partial<TourRun>) => {
    run = { ...run, ...news };
    note(run);
  };
  const updateStep = (at: number, change: (step: StepRun) => Partial<StepRun>) =>
    update({
      steps: run.steps.map((step, index) => (index === at ? { ...step, ...change(step) } : step)),
    });
  const end = (news: Partial<TourRun>) => update({ ...news, endedAt: new Date().toISOString() });
  update({});
  try {
    const proof = await perform(scenario, surroundings, { update, updateStep });
    end({ proof, state: proof.claims.every(({ holds }) => holds) ? "proven" : "failed" });
  } catch (error) {
    const { stopped } = surroundings;
    const state: "stopped" | "failed" = stopped.aborted ? "stopped" : "failed";
    const steps = run.steps.map((step) => (step.state === "running" ? { ...step, state } : step));
    end({ state, steps, problem: stopped.aborted ? undefined : messageOf(error) });
  }
  return run;
}

interface Progress {
  readonly update: (news: Partial<TourRun>) => void;
  readonly updateStep: (at: number, change: (step: StepRun) => Partial<StepRun>) => void;
}

/** Clears every fault, whatever happens. */
async function perform(
  { clockSpeed, plan }: Scenario,
  surroundings: Surroundings,
  progress: Progress,
): Promise<Proof> {
  const playground = await openPlayground({ ...surroundings, clockSpeed });
  try {
    return await carryOut(plan(playground), surroundings.stopped, progress);
  } finally {
    await playground.clearUp();
  }
}

async function carryOut(
  { steps, prove }: Plan,
  stopped: AbortSignal,
  { update, updateStep }: Progress,
): Promise<Proof> {
  update({ steps: steps.map(({ title }) => ({ title, state: "waiting", evidence: [] })) });
  for (const [at, step] of steps.entries()) {
    stopped.throwIfAborted();
    updateStep(at, () => ({ state: "running" }));
    const tell: Tell = (text, order) => {
      const seen = { text, ...(order && { order }) };
      if (!stopped.aborted) updateStep(at, ({ evidence }) => ({ evidence: [...evidence, seen] }));
    };
    await orStopped(step.run(tell), stopped);
    updateStep(at, () => ({ state: "done" }));
  }
  return await orStopped(prove(), stopped);
}

/** A step may wait long for a response. When the tour or the stack stops, nothing waits for it. */
async function orStopped<T>(work: Promise<T>, stopped: AbortSignal): Promise<T> {
  const over = new AbortController();
  const stop = new Promise<never>((_resolve, reject) => {
    const options = { once: true, signal: over.signal };
    stopped.addEventListener("abort", () => reject(stopped.reason), options);
  });
  try {
    return await Promise.race([work, stop]);
  } finally {
    over.abort();
  }
}
