import { Buffer } from "node:buffer";
import * as z from "zod";
import {
  type DiscardPlan,
  discardLetters,
  planDiscard,
} from "../../operations/quarantine/discard-letters.ts";
import {
  lookAtQuarantine,
  type QuarantineList,
  type QuarantineLook,
} from "../../operations/quarantine/list-quarantine.ts";
import {
  planQuarantineRedrive,
  type QuarantineRedrivePlan,
} from "../../operations/quarantine/plan-redrive.ts";
import type { QuarantinedItem } from "../../operations/quarantine/quarantined-item.ts";
import { type ShownItem, shownItem } from "../../operations/quarantine/show-quarantined.ts";
import type { StoredPayload } from "../../operations/timeline/record-content.ts";
import { counted } from "../../shared/counted.ts";
import { PaycastError } from "../../shared/paycast-error.ts";
import type { Desk } from "../desk.ts";
import type { Job } from "../server/jobs.ts";
import { createLooks, type Looked } from "../server/looks.ts";
import { createPreviews } from "../server/previews.ts";
import { type ApiRoute, change, question, view } from "../server/route.ts";
import { createTurns } from "../server/turns.ts";
import { discardedText, redriveAndFollow } from "./quarantine-work.ts";
import { failedAfter } from "./work-text.ts";

export interface QuarantineView extends QuarantineList {
  readonly lookedAt: string;
}

export interface QuarantinedView extends Omit<ShownItem, "payload"> {
  readonly lookedAt: string;
  readonly payload: StoredPayload;
}

export interface QuarantineRedrivePreview
  extends Pick<QuarantineRedrivePlan, "sample" | "gone" | "foreign" | "hiddenLetters" | "atLimit"> {
  readonly preview: string;
  readonly count: number;
}

export interface DiscardPreview {
  readonly preview: string;
  readonly count: number;
  readonly sample: readonly QuarantinedItem[];
  readonly refused: readonly QuarantinedItem[];
  readonly missed: readonly QuarantinedItem[];
}

/** What a page can show; a redrive of everything takes the others, too. */
const mostShown = 500;
/** Long enough for a reload, short enough for what came since. */
const freshMilliseconds = 5_000;

const idSchema = z.string().regex(/^[0-9a-f]{12}$/);
const idsSchema = z.array(idSchema).min(1).max(mostShown);
/** Ids, or everything, or everything with a reason; perhaps only of one order. */
const selectionSchema = z.object({
  ids: idsSchema.optional(),
  reason: z.string().max(100).optional(),
  orderNo: z.string().min(1).max(64).optional(),
});
const previewSchema = z.object({ preview: z.string() });

export function quarantineRoutes(desk: Desk): ApiRoute[] {
  const takeTurns = createTurns();
  const inTurn = <T>(work: () => Promise<T>) => takeTurns("dead letters of the inbox", work);
  const looks = createLooks({
    look: async (orderNo) => {
      const place = orderNo === "" ? {} : { orderNo };
      return await lookAtQuarantine(await desk.target(), { ...place, limit: mostShown });
    },
    takeTurns: (_orderNo, work) => inTurn(work),
    freshMilliseconds,
  });
  const orderOf = (query: URLSearchParams) => query.get("order") ?? "";
  return [
    view("/api/quarantine", async ({ query }) => asView(await looks.last(orderOf(query)))),
    question("/api/quarantine/look", z.object({}), async (_body, { query }) =>
      asView(await looks.again(orderOf(query))),
    ),
    view("/api/quarantine/items/:id", async ({ parts, query }) => {
      const isIn = ({ found }: Seen) => found.findings.some(({ id }) => id === parts["id"]);
      const known = looks.known(orderOf(query));
      // What was listed can be shown without another look.
      const seen = known && isIn(known) ? known : await looks.last(orderOf(query));
      const finding = seen.found.findings.find(({ id }) => id === parts["id"]);
      if (finding === undefined) throw gone();
      return { lookedAt: seen.lookedAt, ...shownView(shownItem(await desk.target(), finding)) };
    }),
    ...redriveRoutes(desk, inTurn, looks.forget),
    ...discardRoutes(desk, inTurn, looks.forget),
  ];
}

type Seen = Looked<QuarantineLook>;

function asView({ lookedAt, found }: Seen): QuarantineView {
  return { lookedAt, ...found.list };
}

type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

function redriveRoutes(desk: Desk, inTurn: InTurn, forget: () => void): ApiRoute[] {
  const previews = createPreviews<QuarantineRedrivePlan>();
  return [
    question(
      "/api/quarantine/redrive/preview",
      selectionSchema,
      async ({ ids, reason, orderNo }, { signal }): Promise<QuarantineRedrivePreview> => {
        const selection = ids === undefined ? { filter: { reason, orderNo } } : { ids, orderNo };
        const target = await desk.target();
        const plan = await inTurn(() =>
          planQuarantineRedrive(target, selection, { stopped: signal }),
        );
        const { sample, gone, foreign, hiddenLetters, atLimit } = plan;
        const leftOut = { gone, foreign, hiddenLetters, atLimit };
        return { preview: previews.keep(plan), count: plan.ids.length, sample, ...leftOut };
      },
    ),
    change("/api/quarantine/redrive", previewSchema, async ({ preview }): Promise<Job> => {
      const plan = previews.take(preview);
      const target = await desk.target();
      return desk.jobs.start({
        title: `Redrive ${counted(plan.ids.length, "message")} from quarantine`,
        run: (control) =>
          redriveAndFollow(target, plan, { ...control, inTurn, onSent: forget }).finally(forget),
      });
    }),
  ];
}

function discardRoutes(desk: Desk, inTurn: InTurn, forget: () => void): ApiRoute[] {
  const previews = createPreviews<DiscardPlan>();
  const discard = async (plan: DiscardPlan, stopped: AbortSignal) => {
    const target = await desk.target();
    const { deleted, end, failure } = await inTurn(() => discardLetters(target, plan, { stopped }));
    const done = discardedText(deleted, end);
    if (end === "failed") throw failedAfter(done, failure);
    return done;
  };
  return [
    question(
      "/api/quarantine/discard/preview",
      z.object({ ids: idsSchema }),
      async ({ ids }, { signal }): Promise<DiscardPreview> => {
        const target = await desk.target();
        const plan = await inTurn(() => planDiscard(target, ids, { stopped: signal }));
        const { discard: items, refused, missed } = plan;
        const sample = items.slice(0, mostSampled);
        return {
          ...{ preview: previews.keep(plan), count: items.length, sample, refused, missed },
        };
      },
    ),
    change("/api/quarantine/discard", previewSchema, async ({ preview }): Promise<Job> => {
      const plan = previews.take(preview);
      return desk.jobs.start({
        title: `Discard ${counted(plan.discard.length, "dead letter")}`,
        run: ({ stopped }) => discard(plan, stopped).finally(forget),
      });
    }),
  ];
}

const mostSampled = 5;

function shownView({ payload, ...shown }: ShownItem): Omit<QuarantinedView, "lookedAt"> {
  const asJson =
    payload.form === "text"
      ? { text: payload.text }
      : { base64: Buffer.from(payload.bytes).toString("base64") };
  return { ...shown, payload: asJson };
}

function gone(): PaycastError {
  const message = "It is not in quarantine any more, or it was not seen at the last look.";
  return new PaycastError("not-found", message);
}
