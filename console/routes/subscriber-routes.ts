import * as z from "zod";
import {
  type DeadLetterList,
  type DeadLetterLook,
  lookAtDeadLetters,
  type ShownDeadLetter,
} from "../../operations/dead-letters/list-dead-letters.ts";
import {
  planRedrive,
  type RedrivePlan,
  redriveDeadLetters,
} from "../../operations/dead-letters/redrive-dead-letters.ts";
import { readSubscribers, type SubscriberFlow } from "../../operations/overview/read-flow.ts";
import { findSubscriber } from "../../operations/target/find-subscriber.ts";
import { counted } from "../../shared/counted.ts";
import { PaycastError } from "../../shared/paycast-error.ts";
import type { Desk } from "../desk.ts";
import type { Job, JobControl } from "../server/jobs.ts";
import { createLooks, type Looked } from "../server/looks.ts";
import { createPreviews } from "../server/previews.ts";
import { type ApiRoute, change, question, view } from "../server/route.ts";
import { createTurns, type TakeTurns } from "../server/turns.ts";
import { redrivenText } from "./dead-letter-text.ts";
import { failedAfter } from "./work-text.ts";

export interface SubscribersView {
  readonly subscribers: readonly SubscriberFlow[];
}

export interface DeadLettersView extends DeadLetterList {
  readonly lookedAt: string;
}

export interface DeadLetterView extends ShownDeadLetter {
  readonly lookedAt: string;
}

export interface DeadLetterRedrivePreview
  extends Pick<RedrivePlan, "way" | "count" | "sample" | "subscriber"> {
  readonly preview: string;
}

const mostShown = 500;
/** Long enough for a reload, short enough for what came since. */
const freshMilliseconds = 5_000;

export function subscriberRoutes(desk: Desk): ApiRoute[] {
  const takeTurns = createTurns();
  const looks = createLooks({
    look: async (name) => await lookAtDeadLetters(await desk.target(), name, { most: mostShown }),
    takeTurns,
    freshMilliseconds,
  });
  const nameOf = async (parts: Readonly<Record<string, string>>) =>
    findSubscriber(await desk.target(), parts["name"] ?? "").name;
  return [
    view("/api/subscribers", async (): Promise<SubscribersView> => {
      const target = await desk.target();
      return { subscribers: await readSubscribers(target, target.subscribers) };
    }),
    view("/api/subscribers/:name", async ({ parts }): Promise<SubscribersView> => {
      const target = await desk.target();
      const one = findSubscriber(target, parts["name"] ?? "");
      return { subscribers: await readSubscribers(target, [one]) };
    }),
    view("/api/subscribers/:name/dead-letters", async ({ parts }) =>
      asView(await looks.last(await nameOf(parts))),
    ),
    question("/api/subscribers/:name/look", z.object({}), async (_body, { parts }) =>
      asView(await looks.again(await nameOf(parts))),
    ),
    view("/api/subscribers/:name/dead-letters/:id", async ({ parts }): Promise<DeadLetterView> => {
      const name = await nameOf(parts);
      const shownIn = (seen: Seen | undefined) =>
        seen?.found.shown.find(({ messageId }) => messageId === parts["id"]);
      const known = looks.known(name);
      // What was listed can be shown without another look.
      const seen = known && shownIn(known) ? known : await looks.last(name);
      const shown = shownIn(seen);
      if (shown === undefined) throw gone();
      return { lookedAt: seen.lookedAt, ...shown };
    }),
    ...redriveRoutes(desk, takeTurns, looks.forget),
  ];
}

type Seen = Looked<DeadLetterLook>;

function asView({ lookedAt, found }: Seen): DeadLettersView {
  return { lookedAt, ...found.list };
}

/** Message ids; without them, everything. */
const idsSchema = z.object({
  ids: z.array(z.string().min(4).max(100)).min(1).max(mostShown).optional(),
});

function redriveRoutes(desk: Desk, takeTurns: TakeTurns, forget: () => void): ApiRoute[] {
  const previews = createPreviews<RedrivePlan>();
  return [
    question(
      "/api/subscribers/:name/redrive/preview",
      idsSchema,
      async ({ ids }, { parts, signal: stopped }): Promise<DeadLetterRedrivePreview> => {
        const target = await desk.target();
        const { name } = findSubscriber(target, parts["name"] ?? "");
        const plan = await takeTurns(name, () => planRedrive(target, name, ids, { stopped }));
        const { subscriber, way, count, sample } = plan;
        return { preview: previews.keep(plan), subscriber, way, count, sample };
      },
    ),
    change("/api/dead-letters/redrive", previewSchema, async ({ preview }): Promise<Job> => {
      const plan = previews.take(preview);
      const { subscriber, count } = plan;
      return desk.jobs.start({
        title: `Redrive ${counted(count, "dead letter")} of ${subscriber}`,
        run: (control) => redrive(desk, takeTurns, plan, control).finally(forget),
      });
    }),
  ];
}

const previewSchema = z.object({ preview: z.string() });

async function redrive(
  desk: Desk,
  takeTurns: TakeTurns,
  plan: RedrivePlan,
  { stopped, tell }: JobControl,
): Promise<string> {
  const target = await desk.target();
  tell("Waiting for the dead letters");
  const redriven = await takeTurns(plan.subscriber, () => {
    const onProgress = (count: number) => tell(`Gone through: ${count} of ${plan.count}`);
    return redriveDeadLetters(target, plan, { stopped, onProgress });
  });
  const done = redrivenText(plan.subscriber, redriven);
  if (redriven.end === "failed") throw failedAfter(done, redriven.failure);
  return done;
}

function gone(): PaycastError {
  const message = "It is not in the dead letters any more, or it was not seen at the last look.";
  return new PaycastError("not-found", message);
}
