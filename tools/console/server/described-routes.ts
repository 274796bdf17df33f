import { randomUUID } from "node:crypto";
import * as z from "zod";
import { PaycastError } from "../../../shared/paycast-error.ts";
import type {
  Change,
  Look,
  OperationGroup,
  Planned,
  Report,
} from "../../operations/described/description.ts";
import type { ConsoleContext } from "../console-context.ts";
import { keepNewest } from "../keep-newest.ts";
import type { Job } from "./jobs.ts";
import { type ApiRoute, change, view } from "./route.ts";

/** What would be done. `preview` is the name under which it can be done, once. */
export interface PlannedView {
  readonly preview: string;
  readonly title: string;
  readonly report: Report;
  readonly yes: string | undefined;
}

/** The routes of described operations: a look gives its data; a change gives a preview, and a job after a yes, both only
 * on the local stack. */
export function describedRoutes(
  context: ConsoleContext,
  { name, operations }: Pick<OperationGroup, "name" | "operations">,
): ApiRoute[] {
  return operations.flatMap((operation) => {
    const path = ["/api", name, operation.verb].filter((part) => part !== undefined).join("/");
    return operation.kind === "look"
      ? [lookRoute(context, path, operation)]
      : changeRoutes(context, path, operation);
  });
}

const untold = () => undefined;

function lookRoute({ target }: ConsoleContext, path: string, { look }: Look): ApiRoute {
  return view(path, async ({ query, signal: stopped }) => {
    const asked = Object.fromEntries(query);
    return (await look(await target(), asked, { stopped, tell: untold })).data;
  });
}

const previewSchema = z.object({ preview: z.string() });

function changeRoutes(context: ConsoleContext, path: string, { plan, title }: Change): ApiRoute[] {
  const plans = createPreviews<Planned>();
  return [
    change(
      `${path}/preview`,
      z.looseObject({}),
      async (asked, { signal: stopped }): Promise<PlannedView> => {
        const planned = await plan(await context.target(), asked, { stopped, tell: untold });
        const { report, yes } = planned;
        return { preview: plans.keep(planned), title, report, yes };
      },
    ),
    change(path, previewSchema, async ({ preview }): Promise<Job> => {
      const { act, yes } = plans.take(preview);
      if (yes === undefined) throw new PaycastError("wrong-usage", "There is nothing to do.");
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

/** Plans that were shown and wait for a yes: what was shown is what is done. */
export function createPreviews<Plan>() {
  const plans = new Map<string, Plan>();
  return {
    keep: (plan: Plan) => {
      const id = randomUUID();
      keepNewest(plans, id, plan, mostKept);
      return id;
    },
    /** Each plan is done once. Throws `not-found`. */
    take: (id: string) => {
      const plan = plans.get(id);
      if (plan === undefined) {
        const message = "This preview was used already, or is too old. Look again.";
        throw new PaycastError("not-found", message);
      }
      plans.delete(id);
      return plan;
    },
  };
}
