import { readFileSync } from "node:fs";
import { relative } from "node:path";
import {
  type RunnerTaskResult,
  type RunnerTestCase,
  type RunnerTestFile,
  TestRunner,
} from "vitest";
import { isNear } from "./areas.ts";
import { type Mutant, mutantsFile, note, noticedSoFar, sourceOf } from "./journal.ts";

/** What Stryker's switches read and write. */
interface Switches {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number;
  hitLimit?: number;
  readonly mutantCoverage: { static: Hits; perTest: Record<string, Hits> };
}

/** How often a mutant's code ran. */
type Hits = Record<string, number>;

interface Attempt {
  readonly repeats: number;
}

interface Failed {
  readonly mutant: string;
  readonly error: string;
}

/** The instrumented modules keep this object, and live as long as the process. */
const { __stryker__: switches = { mutantCoverage: { static: {}, perTest: {} } } } = globalThis as {
  __stryker__?: Switches;
};
Object.assign(globalThis, { __stryker__: switches });
const mutants: Mutant[] = JSON.parse(readFileSync(mutantsFile(), "utf8"));
const byId = new Map(mutants.map((mutant) => [mutant.id, mutant]));
const noticed = new Set(noticedSoFar().keys());

/** How many tests of other folders have passed with a mutant. */
const passedFar = new Map<string, number>();

/** For hooks of a whole file, and for tests while a mutant is on: what they reach is not noted. */
const betweenTests = "between tests";

/** A loop that runs for longer is considered endless. */
const mostHits = 100;

/** A test that takes longer is not repeated. */
const slowMilliseconds = 3000;

/** Tests of other folders rarely detect a change that this many of them have missed. */
const mostFar = 3;

/**
 * Runs each test without a change, notes which mutants its code reaches, and then runs it once for each of them that no
 * test has detected yet. Everything runs in one process, without loading modules again, so a mutant costs no more than
 * its tests. A test that fails is repeated without the change. If it fails again, an earlier change has spoiled it, or
 * it cannot be repeated, and its results no longer count.
 */
export default class RunMutants extends TestRunner {
  #left: string[] = [];
  #mutant: string | undefined;
  #hits: Hits = {};
  #failed: Failed | undefined;
  #file = "";
  #startedAt = 0;
  /** What ran in tests that are not repeated. */
  #unrepeated = new Set<string>();

  override onCollectStart(file: RunnerTestFile): void {
    super.onCollectStart(file);
    switches.currentTestId = undefined;
  }

  onCollected([file]: RunnerTestFile[]): void {
    this.#file = relative(process.cwd(), file?.filepath ?? "");
    switches.currentTestId = betweenTests;
  }

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    await super.onBeforeRunTask(test);
    // The first time unchanged. Vitest then reads how often to retry: once for each mutant.
    test.repeats = 1;
  }

  override onBeforeTryTask(test: RunnerTestCase, attempt?: Attempt): void {
    super.onBeforeTryTask(test);
    this.#startedAt = performance.now();
    if (attempt?.repeats === 0) {
      switches.currentTestId = test.id;
      return;
    }
    this.#mutant = this.#failed ? undefined : this.#left.shift();
    if (this.#mutant === undefined) return;
    note({ trying: this.#mutant });
    switches.activeMutant = this.#mutant;
    switches.hitCount = 0;
    switches.hitLimit = mostHits * (this.#hits[this.#mutant] ?? 1);
  }

  async runTask(test: RunnerTestCase): Promise<void> {
    const isFirst = switches.currentTestId === test.id;
    if (isFirst || this.#failed !== undefined || this.#mutant !== undefined) {
      await TestRunner.getTestFn(test)();
    }
  }

  onAfterRetryTask(test: RunnerTestCase, { repeats }: Attempt): void {
    const { result } = test;
    if (result === undefined) return;
    const error = result.state === "pass" ? undefined : messageOf(result);
    Object.assign(switches, { activeMutant: undefined, currentTestId: betweenTests });
    if (repeats === 0) this.#plan(test, error);
    else this.#judge(test, error);
    const isOver = repeats === 0 || (this.#left.length === 0 && this.#failed === undefined);
    result.state = isOver ? "pass" : "fail";
    // Vitest retries after an error only.
    result.errors = isOver ? [] : [{ message: "the next mutant" }];
  }

  #plan(test: RunnerTestCase, error: string | undefined): void {
    if (error !== undefined) note({ spoilt: `${test.fullName}: ${error}` });
    this.#hits = switches.mutantCoverage.perTest[test.id] ?? {};
    const isRepeated =
      error === undefined && performance.now() - this.#startedAt < slowMilliseconds;
    if (isRepeated) this.#left = Object.keys(this.#hits).filter((id) => this.#isOpen(id));
    else this.#leaveOut();
    this.#failed = undefined;
    test.retry = Number.MAX_SAFE_INTEGER;
  }

  #isOpen(id: string): boolean {
    const mutant = byId.get(id);
    if (mutant === undefined || noticed.has(mutant.name)) return false;
    return isNear(this.#file, sourceOf(mutant)) || (passedFar.get(id) ?? 0) < mostFar;
  }

  /** Nothing more is tried with this test. */
  #leaveOut(): void {
    for (const id of Object.keys(this.#hits)) this.#unrepeated.add(id);
    this.#left = [];
  }

  #notePassed(id: string): void {
    note({ survived: id });
    const mutant = byId.get(id);
    const isFar = mutant !== undefined && !isNear(this.#file, sourceOf(mutant));
    if (isFar) passedFar.set(id, (passedFar.get(id) ?? 0) + 1);
  }

  #judge(test: RunnerTestCase, error: string | undefined): void {
    if (this.#failed !== undefined) this.#judgeAgain(test, this.#failed, error);
    else if (this.#mutant !== undefined) {
      if (error === undefined) this.#notePassed(this.#mutant);
      else this.#failed = { mutant: this.#mutant, error };
    }
  }

  /** After the failed test was run unchanged. */
  #judgeAgain(test: RunnerTestCase, failed: Failed, error: string | undefined): void {
    this.#failed = undefined;
    if (error !== undefined) {
      note({ spoilt: `${test.fullName}: ${error}` });
      this.#leaveOut();
      return;
    }
    const name = byId.get(failed.mutant)?.name ?? "";
    noticed.add(name);
    const isTimeout = /Test timed out|Hit count limit/.test(failed.error);
    note({ noticed: name, by: test.fullName, isTimeout });
  }

  override onAfterRunFiles(): void {
    super.onAfterRunFiles();
    const { mutantCoverage } = switches;
    const { [betweenTests]: others = {}, ...tests } = mutantCoverage.perTest;
    const reached = drawn(Object.values(tests).flatMap((hits) => Object.keys(hits)));
    const loaded = drawn(Object.keys(mutantCoverage.static));
    const untried = drawn([...this.#unrepeated, ...Object.keys(others), ...loaded]);
    note({ done: this.#file, reached, loaded, untried });
    Object.assign(mutantCoverage, { static: {}, perTest: {} });
    this.#unrepeated.clear();
  }
}

function drawn(ids: readonly string[]): string[] {
  return [...new Set(ids)].filter((id) => byId.has(id));
}

/** None for a property without a single run within its time: a busy machine is no failure. */
function messageOf({ errors }: RunnerTaskResult): string | undefined {
  const message = errors?.at(-1)?.message ?? "";
  return message.startsWith("Property interrupted after 0") ? undefined : message;
}
