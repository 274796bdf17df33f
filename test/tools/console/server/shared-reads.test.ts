import { afterEach, beforeEach, expect, test } from "vitest";
import * as z from "zod";
import type { Access } from "../../../../tools/console/server/access.ts";
import { createLive } from "../../../../tools/console/server/live.ts";
import { createSharedReads } from "../../../../tools/console/server/look-cache.ts";
import { change, view } from "../../../../tools/console/server/route.ts";
import { createSite } from "../../../../tools/console/server/serve.ts";
import {
  type Listening,
  listenOnLoopback,
} from "../../../../tools/local/aws/listen-on-loopback.ts";

/** The reads that have begun. The test decides when each ends. */
let begun: { readonly stopped: AbortSignal; readonly end: (found: object) => void }[];
let arrived: number;
let site: Listening;
const live = createLive();
const read = (stopped: AbortSignal) =>
  new Promise<object>((resolve) => begun.push({ stopped, end: resolve }));

beforeEach(async () => {
  begun = [];
  arrived = 0;
  const access: Access = {
    token: "",
    cookie: "",
    isToken: () => false,
    refusal: () => {
      arrived += 1;
      return undefined;
    },
  };
  const routes = [
    view("/api/flow", async ({ signal }) => await read(signal)),
    view("/api/nothing", async () => ({})),
    change("/api/change", z.object({}), async () => ({})),
  ];
  const page = { document: "", script: "", styles: "" };
  const reads = createSharedReads();
  site = await listenOnLoopback(
    createSite({
      access,
      routes,
      page,
      live,
      reads,
      isReadOnly: false,
      aheadMilliseconds: () => 0,
    }),
  );
});
afterEach(() => site.stop());

const ask = async (path: string, init: RequestInit = {}) =>
  await (await fetch(`${site.endpoint}${path}`, init)).json();

/** Everything that arrived before is being read: each of these answers took several turns of the event loop. */
const untilRead = async (count: number) => {
  await expect.poll(() => arrived, { interval: 1 }).toBe(count);
  await ask("/api/nothing");
  await ask("/api/nothing");
};

test("what 200 pages ask for at the same time is read once", async () => {
  const pages = Array.from({ length: 200 }, () => ask("/api/flow"));
  await untilRead(200);
  expect(begun).toHaveLength(1);
  begun[0]!.end({ accepted: 7 });
  expect(await Promise.all(pages)).toEqual(Array(200).fill({ accepted: 7 }));
});

test("the next to ask after its end reads again, and another address is another read", async () => {
  const first = ask("/api/flow");
  const other = ask("/api/flow?minutes=5");
  await untilRead(2);
  expect(begun).toHaveLength(2);
  for (const { end } of begun) end({});
  await Promise.all([first, other]);
  const next = ask("/api/flow");
  await untilRead(2 + 2 + 1);
  begun[2]!.end({ accepted: 8 });
  expect(await next).toEqual({ accepted: 8 });
});

test("a read that began before a change is not shared with those who ask after it", async () => {
  const before = ask("/api/flow");
  await untilRead(1);
  await ask("/api/change", { method: "POST" });
  const after = ask("/api/flow");
  await untilRead(1 + 2 + 1 + 1);
  expect(begun).toHaveLength(2);
  begun[1]!.end({ isNew: true });
  begun[0]!.end({ isNew: false });
  expect(await Promise.all([before, after])).toEqual([{ isNew: false }, { isNew: true }]);
});

test("a read is stopped when all who asked have gone, and not before", async () => {
  const [first, other] = [new AbortController(), new AbortController()];
  const pages = [first, other].map(({ signal }) => ask("/api/flow", { signal }));
  await untilRead(2);
  first.abort();
  await expect(pages[0]).rejects.toThrow();
  await ask("/api/nothing");
  expect(begun[0]!.stopped.aborted).toBe(false);
  other.abort();
  await expect(pages[1]).rejects.toThrow();
  await expect.poll(() => begun[0]!.stopped.aborted, { interval: 1 }).toBe(true);
  const next = ask("/api/flow");
  await expect.poll(() => begun.length, { interval: 1 }).toBe(2);
  begun[1]!.end({});
  await next;
});
