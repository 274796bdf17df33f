import * as z from "zod";
import { inboxName } from "../../operations/dead-letters/dead-letter.ts";
import {
  deadLetters,
  letterReport,
  list,
  listReport,
  redrive,
  show,
} from "../../operations/dead-letters/dead-letters.ts";
import {
  type DeadLetterLook,
  lookAtDeadLetters,
} from "../../operations/dead-letters/list-dead-letters.ts";
import type { Change, Planned } from "../../operations/described/description.ts";
import { findSubscriber } from "../../operations/ports/queues.ts";
import { type ConsoleContext, stackNow } from "../console-context.ts";
import {
  describedRoutes,
  forgetting,
  reportRoutes,
  type SharedLook,
} from "../server/described-routes.ts";
import { createLookCache, createTurns, type Looked, type TakeTurns } from "../server/look-cache.ts";
import type { ApiRoute } from "../server/route.ts";

const mostShown = 500;
/** After this time the page asks the user to read again. */
const freshMilliseconds = 10 * 60_000;

/**
 * Reading a queue counts as a receive. So only the user starts it, the list and its messages come from the same read,
 * and reads, previews and redrives of a queue run one after the other: a message that one holds is invisible to the
 * others.
 */
export function deadLetterRoutes(context: ConsoleContext): ApiRoute[] {
  const takeTurns = createTurns();
  const walks = createLookCache({
    look: async (name) =>
      await lookAtDeadLetters(await context.target(), name, { most: mostShown }),
    takeTurns,
    freshMilliseconds,
    now: () => stackNow(context.lab),
  });
  const queueIn = async (asked: object): Promise<string> => {
    const name = queueOf(asked);
    return name === inboxName ? name : findSubscriber((await context.target()).queues, name).name;
  };
  const lists: SharedLook = {
    last: async (asked) => {
      const looked = walks.fresh(await queueIn(asked));
      return looked && asList(looked);
    },
    again: async (asked) => asList(await walks.again(await queueIn(asked))),
  };
  const letters: SharedLook = {
    last: async (asked) => {
      const name = await queueIn(asked);
      const known = walks.known(name);
      // A listed message can be shown no matter how old the result is.
      const isListed = known?.found.shown.some(({ messageId }) => messageId === idOf(asked));
      const looked = isListed ? known : walks.fresh(name);
      return looked && asLetter(looked, asked);
    },
    again: async (asked) => asLetter(await walks.again(await queueIn(asked)), asked),
  };
  return [
    ...reportRoutes(deadLetters, list, lists),
    ...reportRoutes(deadLetters, show, letters),
    ...describedRoutes(context, {
      ...deadLetters,
      operations: [forgetting(inTurns(takeTurns), walks.forget)],
    }),
  ];
}

const askedSchema = z.object({ queue: z.string().catch(""), id: z.string().catch("") });
const queueOf = (asked: unknown) => askedSchema.parse(asked).queue;
const idOf = (asked: unknown) => askedSchema.parse(asked).id;

function asList({ lookedAt, found }: Looked<DeadLetterLook>) {
  return { lookedAt, found: listReport(found.list) };
}

function asLetter({ lookedAt, found }: Looked<DeadLetterLook>, asked: object) {
  return { lookedAt, found: letterReport(found.shown, idOf(asked)) };
}

function inTurns(takeTurns: TakeTurns): Change {
  return {
    ...redrive,
    plan: async (target, asked, work) => {
      const name = queueOf(asked);
      const planned = await takeTurns(name, () => redrive.plan(target, asked, work));
      const act: Planned["act"] = (actual, acting) => {
        acting.tell("Waiting for another read of this queue");
        return takeTurns(name, () => planned.act(actual, acting));
      };
      return { ...planned, act };
    },
  };
}
