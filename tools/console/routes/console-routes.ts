import * as z from "zod";
import { attention } from "../../operations/attention/attention.ts";
import { deadLetters } from "../../operations/dead-letters/dead-letters.ts";
import { formsOf } from "../../operations/described/input-fields.ts";
import { keys } from "../../operations/keys/keys.ts";
import { findAnything } from "../../operations/orders/find-anything.ts";
import { latestOrders, orders } from "../../operations/orders/orders.ts";
import { readFlow } from "../../operations/overview/read-flow.ts";
import { rangeNames } from "../../operations/ports/metrics.ts";

import { replay } from "../../operations/replay/replay.ts";
import { requests } from "../../operations/requests/requests.ts";
import { readOrderTimeline } from "../../operations/timeline/order-timeline.ts";
import { addAttempts, type WholeTimeline } from "../../operations/timeline/whole-timeline.ts";
import type { ConsoleContext } from "../console-context.ts";
import { describedRoutes } from "../server/described-routes.ts";
import type { Job } from "../server/jobs.ts";
import { type ApiRoute, change, readQuery, view } from "../server/route.ts";
import { createTour } from "../tour/tour.ts";
import { deadLetterRoutes } from "./dead-letter-routes.ts";
import { keyRoutes } from "./key-routes.ts";
import { labRoutes } from "./lab-routes.ts";
import { subscriberRoutes } from "./subscriber-routes.ts";

/** All routes of the console's API. */
export function consoleRoutes(context: ConsoleContext): ApiRoute[] {
  return [
    view("/api/stack", () => readStack(context)),
    ...flowRoutes(context),
    ...orderRoutes(context),
    ...describedRoutes(context, orders),
    ...describedRoutes(context, attention),
    ...describedRoutes(context, requests),
    ...subscriberRoutes(context),
    ...deadLetterRoutes(context),
    ...describedRoutes(context, replay),
    ...keyRoutes(context),
    ...labRoutes(context),
    ...tourRoutes(context),
    ...jobRoutes(context),
  ];
}

/** The operations that the page offers: as buttons on the local stack, as commands on a deployed one. */
const operations = [attention, deadLetters, replay, keys, requests].flatMap(formsOf);

/** The stack of the page and what it supports. */
export type StackView = Readonly<Awaited<ReturnType<typeof readStack>>>;

async function readStack({ target: find, isLive, lab }: ConsoleContext) {
  const { stack, queues } = await find();
  const { kind, name, region, callbackUrl, merchants } = stack;
  return {
    kind,
    name,
    region,
    callbackUrl,
    merchants: merchants.map(({ merchantId }) => merchantId),
    subscribers: queues.subscribers.map((subscriber) => subscriber.name),
    isLive,
    hasLab: lab !== undefined,
    operations,
  };
}

const flowQuery = z.object({ range: z.enum(rangeNames).default("1h") });
const mostLatest = 8;

function flowRoutes({ target }: ConsoleContext): ApiRoute[] {
  return [
    view("/api/flow", async (request) => readFlow(await target(), readQuery(flowQuery, request))),
    view("/api/latest-orders", async ({ signal: stopped }) =>
      latestOrders(await target(), mostLatest, { stopped, tell: () => undefined }),
    ),
  ];
}

const yes = z.literal("yes").optional();
const orderQuery = z.object({ merchant: z.string().max(256).optional(), attempts: yes });
const findQuery = z.object({
  text: z.string().trim().min(1).max(256),
  before: z.iso.datetime().optional(),
  quick: yes,
});

function orderRoutes({ target: find }: ConsoleContext): ApiRoute[] {
  return [
    view("/api/orders/:orderNo", async (request): Promise<WholeTimeline> => {
      const { merchant, attempts } = readQuery(orderQuery, request);
      const target = await find();
      const timeline = await readOrderTimeline(target, request.parts["orderNo"] ?? "", merchant);
      // A CloudWatch search takes seconds, so on AWS it runs only on demand.
      if (target.stack.kind === "deployed" && attempts === undefined) return timeline;
      return await addAttempts(target, timeline);
    }),
    view("/api/find", async (request) => {
      const { text, before, quick } = readQuery(findQuery, request);
      const options = { before, stopped: request.signal, isQuick: quick !== undefined };
      return await findAnything(await find(), text, options);
    }),
  ];
}

const nothing = z.object({});

/** Only for the local stack. */
function tourRoutes({ target, lab, jobs, changed }: ConsoleContext): ApiRoute[] {
  if (lab === undefined) return [];
  const tour = createTour({ target, lab, jobs, changed });
  return [
    view("/api/tour", async () => tour.view()),
    change("/api/tour/start", nothing, () => tour.start(undefined)),
    change("/api/tour/:name/start", nothing, (_body, { parts }) => tour.start(parts["name"] ?? "")),
    change("/api/tour/stop", nothing, async () => tour.stop()),
  ];
}

export interface JobsView {
  /** Newest first. */
  readonly jobs: readonly Job[];
}

function jobRoutes({ jobs }: ConsoleContext): ApiRoute[] {
  return [
    view("/api/jobs", async (): Promise<JobsView> => ({ jobs: jobs.list() })),
    ...(["stop", "close"] as const).map((verb) =>
      change(`/api/jobs/:id/${verb}`, nothing, async (_body, { parts }) =>
        jobs[verb](parts["id"] ?? ""),
      ),
    ),
  ];
}
