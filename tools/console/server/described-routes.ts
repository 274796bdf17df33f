import { randomUUID } from "node:crypto";
import * as z from "zod";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import type {
  Change,
  Look,
  Operation,
  OperationGroup,
  Planned,
  Report,
} from "../../operations/described/description.ts";
import { type ConsoleContext, stackNow } from "../console-context.ts";
import { keepNewest } from "../keep-newest.ts";
import type { Job } from "./jobs.ts";
import { createLookCache, createTurns, type Looked } from "./look-cache.ts";
import { type ApiRoute, change, view, viewWithBody } from "./route.ts";

/** What the change would do. `preview` is an id with which it can be applied once. */
export interface PlannedView {
  readonly preview: string;
  readonly title: string;
  readonly report: Report;
  readonly yes: string | undefined;
}

type Operations = Pick<OperationGroup, "name" | "operations">;

/**
 * The routes of described operations for hand-written pages. A read returns its values. A change returns a preview, and
 * starts a job after confirmation, both only on the local stack.
 */
export function describedRoutes(context: ConsoleContext, group: Operations): ApiRoute[] {
  return group.operations.flatMap((operation) => {
    const path = pathOf(group, operation);
    return operation.kind === "look"
      ? [dataRoute(context, path, operation)]
      : changeRoutes(context, path, operation);
  });
}

/** A change that invalidates cached results when it ends, even if it fails. */
export function forgetting(change: Change, forget: () => void): Change {
  return {
    ...change,
    plan: async (target, asked, work) => {
      const planned = await change.plan(target, asked, work);
      const act: Planned["act"] = (actual, acting) => planned.act(actual, acting).finally(forget);
      return { ...planned, act };
    },
  };
}

function pathOf({ name }: Operations, { verb }: Operation): string {
  return ["/api", name, ...(verb === undefined ? [] : [verb])].join("/");
}

const noProgress = () => undefined;

function dataRoute({ target }: ConsoleContext, path: string, { look }: Look): ApiRoute {
  return view(path, async ({ query, signal: stopped }) => {
    const asked = Object.fromEntries(query);
    return (await look(await target(), asked, { stopped, tell: noProgress })).data;
  });
}

/** The result of a read, for a generated page. */
export interface ReportView {
  /** Undefined if there is no recent result and the page must not read by itself. */
  readonly report: Report | undefined;
  readonly lookedAt: string | undefined;
}

/** A result that all pages share. They refresh it only on demand, since reading costs. */
export interface SharedLook {
  /** Undefined if there is no recent result and only the user may start a read. */
  readonly last: (asked: object) => Promise<Looked<Report> | undefined>;
  readonly again: (asked: object) => Promise<Looked<Report>>;
}

/** Caches one result per input. */
export function shareLook(
  { target, lab }: ConsoleContext,
  { look }: Look,
  freshMilliseconds: number,
): SharedLook & { readonly forget: () => void } {
  const { signal: stopped } = new AbortController();
  const { last, again, forget } = createLookCache({
    look: async (asked) =>
      await look(await target(), JSON.parse(asked), { stopped, tell: noProgress }),
    takeTurns: createTurns(),
    freshMilliseconds,
    now: () => stackNow(lab),
  });
  return {
    last: (asked) => last(JSON.stringify(asked)),
    again: (asked) => again(JSON.stringify(asked)),
    forget,
  };
}

/** The values of a form. The operation's own schema validates them. */
const formValues = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]),
);

/** The routes of a read for a generated page: its report. */
export function reportRoutes(group: Operations, operation: Look, look: SharedLook): ApiRoute[] {
  const path = pathOf(group, operation);
  return [
    view(path, async ({ query }) => asView(await look.last(Object.fromEntries(query)))),
    viewWithBody(`${path}/again`, formValues, async (asked) => asView(await look.again(asked))),
  ];
}

function asView(looked: Looked<Report> | undefined): ReportView {
  if (looked === undefined) return { report: undefined, lookedAt: undefined };
  const { bytes: _bytes, ...report } = looked.found;
  return { report, lookedAt: looked.lookedAt };
}

const previewSchema = z.object({ preview: z.string() });

function changeRoutes(context: ConsoleContext, path: string, { plan, title }: Change): ApiRoute[] {
  const plans = createPreviews<Planned>();
  return [
    change(
      `${path}/preview`,
      z.looseObject({}),
      async (asked, { signal: stopped }): Promise<PlannedView> => {
        const planned = await plan(await context.target(), asked, { stopped, tell: noProgress });
        const { report, yes } = planned;
        return { preview: plans.keep(planned), title, report, yes };
      },
    ),
    change(path, previewSchema, async ({ preview }): Promise<Job> => {
      const { act, yes } = plans.take(preview);
      if (yes === undefined) throw new PaycastError("wrong-usage", "Nothing to do.");
      return context.jobs.start({
        title: yes,
        run: async (work) => {
          const report = await act(await context.target(), work);
          context.changed();
          return [...report.lines, ...(report.below ?? [])].join(" ");
        },
      });
    }),
  ];
}

const mostKept = 20;

/** Plans that wait for confirmation. The plan that was shown is the plan that runs. */
export function createPreviews<Plan>() {
  const plans = new Map<string, Plan>();
  return {
    keep: (plan: Plan) => {
      const id = randomUUID();
      keepNewest(plans, id, plan, mostKept);
      return id;
    },
    /** Each plan runs once. Throws `not-found`. */
    take: (id: string) => {
      const plan = plans.get(id);
      if (plan === undefined) {
        const message = "This preview was already used or has expired. Preview the change again.";
        throw new PaycastError("not-found", message);
      }
      plans.delete(id);
      return plan;
    },
  };
}
