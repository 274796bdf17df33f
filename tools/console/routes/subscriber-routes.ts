import * as z from "zod";
import { PaycastError } from "../../../shared/paycast-error.ts";
import {
  inboxName,
  restOf,
  type ShownDeadLetter,
} from "../../operations/dead-letters/dead-letter.ts";
import { deadLetters, redrive } from "../../operations/dead-letters/dead-letters.ts";
import {
  type DeadLetterLook,
  lookAtDeadLetters,
} from "../../operations/dead-letters/list-dead-letters.ts";
import type { Change, Planned } from "../../operations/described/description.ts";
import { readSubscribers, type SubscriberFlow } from "../../operations/overview/read-flow.ts";
import { findSubscriber } from "../../operations/target/target.ts";
import type { ConsoleContext } from "../console-context.ts";
import { describedRoutes } from "../server/described-routes.ts";
import { createLookCache, createTurns, type Looked, type TakeTurns } from "../server/look-cache.ts";
import { type ApiRoute, question, view } from "../server/route.ts";

export interface SubscribersView {
  readonly subscribers: readonly SubscriberFlow[];
}

export interface DeadLetterView extends ShownDeadLetter {
  readonly lookedAt: string;
}

const mostShown = 500;
/** Long enough for a reload, short enough for what came since. */
const freshMilliseconds = 5_000;

export function subscriberRoutes(context: ConsoleContext): ApiRoute[] {
  const takeTurns = createTurns();
  const looks = createLookCache({
    look: async (name) =>
      await lookAtDeadLetters(await context.target(), name, { most: mostShown }),
    takeTurns,
    freshMilliseconds,
  });
  const nameOf = async ({ name = "" }: Readonly<Record<string, string>>) =>
    name === inboxName ? name : findSubscriber(await context.target(), name).name;
  return [
    view("/api/subscribers", async (): Promise<SubscribersView> => {
      const target = await context.target();
      return { subscribers: await readSubscribers(target, target.subscribers) };
    }),
    view("/api/subscribers/:name", async ({ parts }): Promise<SubscribersView> => {
      const target = await context.target();
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
    ...describedRoutes(context, { ...deadLetters, operations: [inTurns(takeTurns, looks.forget)] }),
  ];
}

type Seen = Looked<DeadLetterLook>;

export type DeadLettersView = ReturnType<typeof asView>;

/** `rest` is why the list may not have everything. */
function asView({ lookedAt, found }: Seen) {
  return { lookedAt, ...found.list, rest: restOf(found.list) };
}

/** Looks, previews and redrives of one queue wait for each other: what one holds, another does not see. */
function inTurns(takeTurns: TakeTurns, forget: () => void): Change {
  const nameIn = (asked: unknown) => queueSchema.parse(asked).queue;
  return {
    ...redrive,
    plan: async (target, asked, work) => {
      const name = nameIn(asked);
      const planned = await takeTurns(name, () => redrive.plan(target, asked, work));
      const act: Planned["act"] = (actual, acting) => {
        acting.tell("Waiting for the dead letters");
        return takeTurns(name, () => planned.act(actual, acting)).finally(forget);
      };
      return { ...planned, act };
    },
  };
}

const queueSchema = z.object({ queue: z.string().catch("") });

function gone(): PaycastError {
  const message = "It is not in the dead letters any more, or it was not seen at the last look.";
  return new PaycastError("not-found", message);
}
