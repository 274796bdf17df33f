import { beforeEach, expect, test, vi } from "vitest";
import type { ConsoleContext } from "../../../../tools/console/console-context.ts";
import {
  describedRoutes,
  forgetting,
  reportRoutes,
  shareLook,
} from "../../../../tools/console/server/described-routes.ts";
import { createJobs } from "../../../../tools/console/server/jobs.ts";
import { findRoute } from "../../../../tools/console/server/route.ts";
import { poured, tea } from "../../operations/described/tea-operations.ts";

const changed = vi.fn();
const jobs = createJobs(() => {});
const context = {
  target: async () => ({}),
  jobs,
  changed,
} as unknown as ConsoleContext;
const routes = describedRoutes(context, tea);
beforeEach(() => {
  poured.length = 0;
});

async function ask(method: string, address: string, body: object = {}, among = routes) {
  const { pathname, searchParams: query } = new URL(address, "http://console");
  const found = findRoute(among, method, pathname);
  if (found === undefined) throw new Error(`there is no route ${method} ${pathname}`);
  const { signal } = new AbortController();
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects.
  return (await found.route.handle({ parts: {}, query, body, signal })) as any;
}

test("each operation has its route, and what a deployed stack refuses is a change", () => {
  expect(routes.map(({ method, path, changes }) => [method, path, changes])).toEqual([
    ["GET", "/api/tea/list", false],
    ["GET", "/api/tea/show", false],
    ["POST", "/api/tea/pour/preview", true],
    ["POST", "/api/tea/pour", true],
  ]);
});

test("a look gives its values, and a wrong question names the field", async () => {
  expect(await ask("GET", "/api/tea/list?kind=green&limit=7")).toEqual({
    asked: { kind: "green", limit: 7 },
  });
  await expect(ask("GET", "/api/tea/list?limit=many")).rejects.toMatchObject({
    code: "wrong-usage",
    message: "limit must be a whole number.",
  });
});

test("a look that pages share gives its report, is kept for each question, and is repeated on demand", async () => {
  const [list] = tea.operations;
  if (list?.kind !== "look") throw new Error("there is no list");
  const looked = vi.fn(list.look);
  const shared = shareLook(context, { ...list, look: looked }, 60_000);
  const own = reportRoutes(tea, list, shared);
  expect(own.every(({ changes }) => !changes)).toBe(true);
  const first = await ask("GET", "/api/tea/list?limit=7", {}, own);
  expect(first.report).toMatchObject({ lines: ["Two teas."], below: ["And one more."] });
  expect(await ask("GET", "/api/tea/list?limit=7", {}, own)).toEqual(first);
  await ask("GET", "/api/tea/list?limit=8", {}, own);
  expect(looked).toHaveBeenCalledTimes(2);
  await ask("POST", "/api/tea/list/again", { limit: "7" }, own);
  expect(looked).toHaveBeenCalledTimes(3);
  shared.forget();
  await ask("GET", "/api/tea/list?limit=7", {}, own);
  expect(looked).toHaveBeenCalledTimes(4);
});

test("the exact bytes of a report are not sent to a page", async () => {
  const [, show] = tea.operations;
  if (show?.kind !== "look") throw new Error("there is nothing to show");
  const own = reportRoutes(tea, show, {
    last: async () => ({
      lookedAt: "2026-11-15T12:00:00.000Z",
      found: { lines: [], data: {}, isGood: true, bytes: Buffer.from("raw") },
    }),
    again: () => Promise.reject(new Error("not asked")),
  });
  expect((await ask("GET", "/api/tea/show", {}, own)).report).not.toHaveProperty("bytes");
});

test("what was kept is forgotten after a change, also after one that failed", async () => {
  const [, , pour] = tea.operations;
  if (pour?.kind !== "change") throw new Error("there is nothing to pour");
  const forget = vi.fn();
  const { plan } = forgetting(pour, forget);
  const target = {} as unknown as Parameters<typeof plan>[0];
  const work = { stopped: new AbortController().signal, tell: () => undefined };
  const planned = await plan(target, { ids: ["abcd"], into: "floor" }, work);
  expect(forget).not.toHaveBeenCalled();
  await expect(planned.act(target, work)).rejects.toThrow("spilled");
  expect(forget).toHaveBeenCalledOnce();
});

test("a change is shown first, done once after a yes, and the job tells what came of it", async () => {
  const asked = { ids: ["abcd"], into: "cup" };
  const { preview, ...shown } = await ask("POST", "/api/tea/pour/preview", asked);
  expect(shown).toMatchObject({
    title: "Pour tea",
    yes: "Pour 1",
    report: { lines: ["It would be poured."] },
  });
  expect(poured).toEqual([]);
  const { id } = await ask("POST", "/api/tea/pour", { preview });
  const job = () => jobs.list().find((candidate) => candidate.id === id);
  await expect.poll(() => job()?.state).toBe("done");
  expect(job()).toMatchObject({ title: "Pour 1", outcome: "Poured. Enjoy." });
  expect(poured).toEqual([asked]);
  expect(changed).toHaveBeenCalled();
  await expect(ask("POST", "/api/tea/pour", { preview })).rejects.toMatchObject({
    code: "not-found",
  });
});

test("what a preview says cannot be done is not done", async () => {
  const { preview, yes } = await ask("POST", "/api/tea/pour/preview", {});
  expect(yes).toBeUndefined();
  await expect(ask("POST", "/api/tea/pour", { preview })).rejects.toMatchObject({
    code: "wrong-usage",
  });
  expect(poured).toEqual([]);
});
