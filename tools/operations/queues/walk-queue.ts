import { type HeldMessage, holdMilliseconds, type MessageQueue } from "./message-queue.ts";

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
  readonly notGivenBack: number;
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
  const hands: Hands = {
    received: new Set(),
    moved: new Set(),
    held: new Map(),
    keptSinceMilliseconds: undefined,
    now: options.now ?? Date.now,
  };
  let end: Walk["end"];
  let failure: unknown;
  try {
    end = await receiveAll(queue, visit, hands, options);
  } catch (error) {
    end = "failed";
    failure = error;
  }
  const notGivenBack = await queue.giveBack([...hands.held.values()]);
  const { received, moved } = hands;
  return { received: received.size, moved: moved.size, end, failure, notGivenBack };
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

interface Hands {
  readonly received: Set<string>;
  readonly moved: Set<string>;
  readonly held: Map<string, HeldMessage>;
  keptSinceMilliseconds: number | undefined;
  readonly now: () => number;
}

async function receiveAll(
  queue: MessageQueue,
  visit: (message: HeldMessage) => Promise<MovedOrKept>,
  hands: Hands,
  { stopped, onProgress, most = Number.POSITIVE_INFINITY }: WalkOptions,
): Promise<Walk["end"]> {
  while (true) {
    if (stopped?.aborted === true) return "stopped";
    if (hands.received.size >= most || isFull(hands)) return "bound";
    // Never aborted: SQS may have handed out messages, which then could not be returned.
    const batch = await queue.receive();
    if (batch.length === 0) return "empty";
    const receivedAt = hands.now();
    for (const message of batch) hands.held.set(message.messageId, message);
    await eachInOrder(batch, async (message) => {
      const isOurs = hands.now() - receivedAt < walkMilliseconds;
      if (isOurs && stopped?.aborted !== true) await visitOnce(queue, visit, hands, message);
    });
    onProgress?.(hands.received.size);
  }
}

function isFull({ held, keptSinceMilliseconds, now }: Hands): boolean {
  if (held.size >= mostHeld) return true;
  return keptSinceMilliseconds !== undefined && now() - keptSinceMilliseconds >= walkMilliseconds;
}

/** A message may be received twice. If it was moved before, only its deletion is repeated. */
async function visitOnce(
  queue: MessageQueue,
  visit: (message: HeldMessage) => Promise<MovedOrKept>,
  hands: Hands,
  message: HeldMessage,
): Promise<void> {
  const { messageId } = message;
  const isKnown = hands.received.has(messageId);
  if (isKnown && !hands.moved.has(messageId)) return;
  hands.received.add(messageId);
  if (!isKnown && (await visit(message)) === "kept") {
    hands.keptSinceMilliseconds ??= hands.now();
    return;
  }
  hands.moved.add(messageId);
  await queue.remove(message);
  hands.held.delete(messageId);
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
