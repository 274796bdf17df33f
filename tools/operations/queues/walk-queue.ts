import { type HeldMessage, holdMilliseconds, type MessageQueue } from "../ports/queues.ts";

/** Returning messages takes time too, so receiving ends before the first held message becomes visible by itself. */
const walkMilliseconds = holdMilliseconds * 0.8;
/** SQS allows 120,000 messages in flight, and other readers need some of them. */
const mostHeld = 10_000;

/**
 * `moved`: the message was sent elsewhere and is to be deleted here. `kept`: it is returned to the queue at the end.
 */
export type MovedOrKept = "moved" | "kept";

export interface WalkOptions {
  /** Ends the walk in order: started work is finished, everything else is returned to the queue. */
  readonly stopped?: AbortSignal | undefined;
  /** Hears how many messages were received so far. */
  readonly onProgress?: ((received: number) => void) | undefined;
  /** The most messages to receive; less if the walk has a purpose that needs only some. */
  readonly most?: number;
  readonly now?: () => number;
}

export interface Walk {
  readonly received: number;
  readonly moved: number;
  /** `empty`: no more could be received. `bound`: too many messages, or too long. */
  readonly end: "empty" | "stopped" | "bound" | "failed";
  readonly failure?: unknown;
  /** Messages that could not be returned to the queue. They are visible again within five minutes. */
  readonly notReturned: number;
}

/**
 * Goes through the messages of a queue. Each message is passed to `visit` once and then held until the end: if it were
 * returned immediately, it would be received again. While messages of a FIFO group are held, SQS does not show the
 * later messages of that group. Never throws: the messages are returned in any case.
 */
export async function walkQueue(
  queue: MessageQueue,
  visit: (message: HeldMessage) => Promise<MovedOrKept>,
  options: WalkOptions = {},
): Promise<Walk> {
  const state: WalkState = {
    received: new Set(),
    moved: new Set(),
    held: new Map(),
    keptSinceMilliseconds: undefined,
    now: options.now ?? Date.now,
  };
  let end: Walk["end"];
  let failure: unknown;
  try {
    end = await receiveAll(queue, visit, state, options);
  } catch (error) {
    end = "failed";
    failure = error;
  }
  const notReturned = await queue.giveBack([...state.held.values()]);
  const { received, moved } = state;
  return { received: received.size, moved: moved.size, end, failure, notReturned };
}

/** Only reads: every message is returned to the queue. Throws if the queue cannot be read. */
export async function lookAtQueue(
  queue: MessageQueue,
  see: (message: HeldMessage) => void,
  options: WalkOptions = {},
): Promise<Walk> {
  const look = async (message: HeldMessage): Promise<MovedOrKept> => {
    see(message);
    return "kept";
  };
  const walk = await walkQueue(queue, look, options);
  if (walk.end === "failed") throw walk.failure;
  return walk;
}

interface WalkState {
  readonly received: Set<string>;
  readonly moved: Set<string>;
  readonly held: Map<string, HeldMessage>;
  keptSinceMilliseconds: number | undefined;
  readonly now: () => number;
}

async function receiveAll(
  queue: MessageQueue,
  visit: (message: HeldMessage) => Promise<MovedOrKept>,
  state: WalkState,
  { stopped, onProgress, most = Number.POSITIVE_INFINITY }: WalkOptions,
): Promise<Walk["end"]> {
  while (true) {
    if (stopped?.aborted === true) return "stopped";
    if (state.received.size >= most || isFull(state)) return "bound";
    // Never aborted: SQS may have handed out messages, which then could not be returned.
    const batch = await queue.receive();
    if (batch.length === 0) return "empty";
    const receivedAt = state.now();
    for (const message of batch) state.held.set(message.messageId, message);
    await eachInOrder(batch, async (message) => {
      const isOurs = state.now() - receivedAt < walkMilliseconds;
      if (isOurs && stopped?.aborted !== true) await visitOnce(queue, visit, state, message);
    });
    onProgress?.(state.received.size);
  }
}

function isFull({ held, keptSinceMilliseconds, now }: WalkState): boolean {
  if (held.size >= mostHeld) return true;
  return keptSinceMilliseconds !== undefined && now() - keptSinceMilliseconds >= walkMilliseconds;
}

/** A message may be received twice. If it was moved before, only its deletion is repeated. */
async function visitOnce(
  queue: MessageQueue,
  visit: (message: HeldMessage) => Promise<MovedOrKept>,
  state: WalkState,
  message: HeldMessage,
): Promise<void> {
  const { messageId } = message;
  const isKnown = state.received.has(messageId);
  if (isKnown && !state.moved.has(messageId)) return;
  state.received.add(messageId);
  if (!isKnown && (await visit(message)) === "kept") {
    state.keptSinceMilliseconds ??= state.now();
    return;
  }
  state.moved.add(messageId);
  await queue.remove(message);
  state.held.delete(messageId);
}

/** Groups in parallel, the messages of a group in sequence. A group ends at its first failure. */
async function eachInOrder(
  batch: readonly HeldMessage[],
  work: (message: HeldMessage) => Promise<void>,
): Promise<void> {
  const groupOf = ({ group, messageId }: HeldMessage) => group ?? messageId;
  const groups = [...new Set(batch.map(groupOf))];
  const ends = await Promise.allSettled(
    groups.map(async (group) => {
      for (const message of batch) if (groupOf(message) === group) await work(message);
    }),
  );
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}
