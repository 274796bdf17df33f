import { setTimeout as pause } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { PaycastError } from "../../../../shared/errors/paycast-error.ts";
import { createPreviews } from "../../../../tools/console/server/described-routes.ts";
import { createJobs } from "../../../../tools/console/server/jobs.ts";

/** Node 20 has no Promise.withResolvers. */
function withResolvers<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

const ended = async (jobs: ReturnType<typeof createJobs>) => {
  await expect.poll(() => jobs.list().some(({ state }) => state === "running")).toBe(false);
  return jobs.list();
};

test("a job tells how far it is, then what came of it, and pages hear of both", async () => {
  const changed = vi.fn();
  const jobs = createJobs(changed);
  const { promise, resolve } = withResolvers<void>();
  jobs.start({
    title: "Redrive",
    run: async ({ tell }) => {
      tell("3 of 5");
      await promise;
      return "5 sent.";
    },
  });
  expect(jobs.list()).toMatchObject([{ title: "Redrive", state: "running", progress: "3 of 5" }]);
  const before = changed.mock.calls.length;
  resolve();
  expect(await ended(jobs)).toMatchObject([{ state: "done", outcome: "5 sent." }]);
  expect(changed.mock.calls.length).toBeGreaterThan(before);
});

test("a job that fails says why", async () => {
  const jobs = createJobs(() => {});
  const run = async () => {
    throw new PaycastError("aws-denied", "You lack the permission sqs:SendMessage.");
  };
  jobs.start({ title: "Replay", run });
  expect(await ended(jobs)).toMatchObject([
    { state: "failed", outcome: "You lack the permission sqs:SendMessage." },
  ]);
});

test("stopping ends the work in order, and the end waits for it", async () => {
  const jobs = createJobs(() => {});
  const untilStopped = async ({ stopped }: { stopped: AbortSignal }) => {
    while (!stopped.aborted) await pause(5);
    await pause(20);
    return "stopped in order";
  };
  const { id } = jobs.start({ title: "one", run: untilStopped });
  jobs.start({ title: "two", run: untilStopped });
  jobs.stop(id);
  await expect.poll(() => jobs.list()[1]?.state).toBe("stopped");
  expect(jobs.list()[0]?.state).toBe("running");
  await jobs.end();
  expect(jobs.list().map(({ outcome }) => outcome)).toEqual([
    "stopped in order",
    "stopped in order",
  ]);
});

test("what has ended can be closed, and what runs cannot", async () => {
  const changed = vi.fn();
  const jobs = createJobs(changed);
  const { promise, resolve } = withResolvers<string>();
  const { id } = jobs.start({ title: "Redrive", run: () => promise });
  jobs.close(id);
  expect(jobs.list()).toMatchObject([{ id, state: "running" }]);
  resolve("5 sent.");
  await ended(jobs);
  changed.mockClear();
  jobs.close(id);
  expect(jobs.list()).toEqual([]);
  expect(changed).toHaveBeenCalledOnce();
});

test("nothing begins while the console is being stopped: nobody would wait for it", async () => {
  const jobs = createJobs(() => {});
  const { promise, resolve } = withResolvers<string>();
  jobs.start({ title: "first", run: () => promise });
  const end = jobs.end();
  const run = vi.fn(async () => "done");
  expect(() => jobs.start({ title: "second", run })).toThrow("shutting down");
  resolve("done");
  await end;
  expect(run).not.toHaveBeenCalled();
});

test("the oldest jobs are forgotten, but none that runs", async () => {
  const jobs = createJobs(() => {});
  const { promise, resolve } = withResolvers<string>();
  jobs.start({ title: "long", run: () => promise });
  for (let count = 0; count < 40; count++) {
    jobs.start({ title: `short ${count}`, run: async () => "done" });
    await pause(0);
  }
  const titles = jobs.list().map(({ title }) => title);
  expect(titles).toHaveLength(20);
  expect(titles).toContain("long");
  expect(titles[0]).toBe("short 39");
  resolve("done");
});

test("a preview is carried out once, and an old one not at all", () => {
  const previews = createPreviews<number>();
  const first = previews.keep(1);
  expect(previews.take(first)).toBe(1);
  expect(() => previews.take(first)).toThrow("Preview the change again");
  const ids = Array.from({ length: 25 }, (_item, plan) => previews.keep(plan));
  expect(() => previews.take(ids[0] ?? "")).toThrow("Preview the change again");
  expect(previews.take(ids[24] ?? "")).toBe(24);
});
