import { readFileSync } from "node:fs";
import {
  type RunnerTaskResult,
  type RunnerTestCase,
  type RunnerTestFile,
  TestRunner,
} from "vitest";
import { type Mutant, mutantsFile, note, noticedSoFar } from "./journal.ts";

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
const mutants: Mutant[] = JSON.parse(readFileSync(mutantsFile, "utf8"));
const nameOf = new Map(mutants.map(({ id, name }) => [id, name]));
const noticed = new Set(noticedSoFar().keys());

/** For hooks of a whole file, and for tests while a mutant is on: what they reach is not noted. */
const betweenTests = "between tests";

/** A loop that goes on for so long does not end. */
const mostHits = 100;

/**
 * Runs each test as it is, notes which mutants its code reaches, and then runs it once for each of them that no test has
 * noticed yet. All of it in one process, without loading anything again: a mutant costs no more than its tests.
 * A test that fails is run unchanged before that counts: if it fails then too, an earlier change has left something
 * behind, or the test cannot be repeated, and it decides nothing more.
 */
export default class RunMutants extends TestRunner {
  #left: string[] = [];
  #mutant: string | undefined;
  #hits: Hits = {};
  #failed: Failed | undefined;
  #file = "";

  override onCollectStart(file: RunnerTestFile): void {
    super.onCollectStart(file);
    switches.currentTestId = undefined;
  }

  onCollected([file]: RunnerTestFile[]): void {
    this.#file = file?.filepath ?? "";
    switches.currentTestId = betweenTests;
  }

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    await super.onBeforeRunTask(test);
    // The first time unchanged. Vitest then reads how often to retry: once for each mutant.
    test.repeats = 1;
  }

  override onBeforeTryTask(test: RunnerTestCase, attempt?: Attempt): void {
    super.onBeforeTryTask(test);
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
    const isOpen = (id: string) => !noticed.has(nameOf.get(id) ?? "");
    this.#left = error === undefined ? Object.keys(this.#hits).filter(isOpen) : [];
    this.#failed = undefined;
    test.retry = Number.MAX_SAFE_INTEGER;
  }

  #judge(test: RunnerTestCase, error: string | undefined): void {
    if (this.#failed !== undefined) this.#judgeAgain(test, this.#failed, error);
    else if (this.#mutant !== undefined) {
      if (error === undefined) note({ survived: this.#mutant });
      else this.#failed = { mutant: this.#mutant, error };
    }
  }

  /** After the failed test was run unchanged. */
  #judgeAgain(test: RunnerTestCase, failed: Failed, error: string | undefined): void {
    this.#failed = undefined;
    if (error !== undefined) {
      note({ spoilt: `${test.fullName}: ${error}` });
      this.#left = [];
      return;
    }
    const name = nameOf.get(failed.mutant) ?? "";
    noticed.add(name);
    const isTimeout = /Test timed out|Hit count limit/.test(failed.error);
    note({ noticed: name, by: test.fullName, isTimeout });
  }

  override onAfterRunFiles(): void {
    super.onAfterRunFiles();
    const { mutantCoverage } = switches;
    const { [betweenTests]: _others, ...tests } = mutantCoverage.perTest;
    const reached = new Set(Object.values(tests).flatMap((hits) => Object.keys(hits)));
    const loaded = Object.keys(mutantCoverage.static);
    note({ done: this.#file, reached: [...reached], loaded });
    Object.assign(mutantCoverage, { static: {}, perTest: {} });
  }
}

/** None for a property without a single run within its time: a busy machine is no failure. */
function messageOf({ errors }: RunnerTaskResult): string | undefined {
  const message = errors?.at(-1)?.message ?? "";
  return message.startsWith("Property interrupted after 0") ? undefined : message;
}
