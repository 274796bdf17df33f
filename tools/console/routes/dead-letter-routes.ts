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
import { findSubscriber } from "../../operations/target/target.ts";
import type { ConsoleContext } from "../console-context.ts";
import {
  describedRoutes,
  forgetting,
  reportRoutes,
  type SharedLook,
} from "../server/described-routes.ts";
import { createLookCache, createTurns, type Looked, type TakeTurns } from "../server/look-cache.ts";
import type { ApiRoute } from "../server/route.ts";

const mostShown = 500;
/** After this time the page asks a person to look again. */
const freshMilliseconds = 10 * 60_000;

/**
 * A look at a queue counts as a receive. So only a person begins one, the list and the letters in it are shown from one
 * look, and looks, previews and redrives of a queue wait for each other: what one holds, another does not see.
 */
export function deadLetterRoutes(context: ConsoleContext): ApiRoute[] {
  const takeTurns = createTurns();
  const walks = createLookCache({
    look: async (name) =>
      await lookAtDeadLetters(await context.target(), name, { most: mostShown }),
    takeTurns,
    freshMilliseconds,
    // The page compares it with the stack's clock, which may have jumped.
    now: () => Date.now() + (context.lab?.aheadMilliseconds() ?? 0),
  });
  const queueIn = async (asked: object): Promise<string> => {
    const name = queueOf(asked);
    return name === inboxName ? name : findSubscriber(await context.target(), name).name;
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
      // What was listed can be shown however old the look is.
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
        acting.tell("Waiting for the dead letters");
        return takeTurns(name, () => planned.act(actual, acting));
      };
      return { ...planned, act };
    },
  };
}
