import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { listenOnLoopback } from "../../../tools/local/aws/listen-on-loopback.ts";
import { type Answered, ask } from "../ask.ts";
import { type JsonObject, parseObject } from "./check/open-envelope.ts";
import type { Random } from "./random.ts";

/** One envelope that reached the stack, and its response. */
export interface Post extends Answered {
  readonly envelope: string;
  /** Where it came from: the service, or the relay itself. */
  readonly by: "service" | "copy" | "tampering" | "replay" | "thief";
}

const longestHoldMilliseconds = 3_000;

/**
 * The internet between the payment service and the stack: it repeats, delays, loses, reorders and changes envelopes,
 * and records each one that it delivers.
 */
export async function startRelay(callbacks: string, random: Random, now: () => number = Date.now) {
  const posts: Post[] = [];
  const underWay = new Set<Promise<unknown>>();
  let isCalm = false;

  const track = <Result>(work: Promise<Result>): Promise<Result> => {
    underWay.add(work);
    void work.finally(() => underWay.delete(work));
    return work;
  };
  const hand = (envelope: string, by: Post["by"]) =>
    track(
      ask("POST", callbacks, envelope, now).then((answered) => {
        posts.push({ ...answered, envelope, by });
        return answered.status;
      }),
    );
  const later = (work: () => Promise<unknown>) => {
    void track(wait(random.between(10, longestHoldMilliseconds)).then(work));
  };
  /** Returns the status that the service receives. */
  const carry = async (envelope: string): Promise<number> => {
    const fate = isCalm ? 1 : random.next();
    // The service takes it for delivered, but it never arrives.
    if (fate < 0.04) return 200;
    if (fate < 0.1) {
      // The service stops waiting, but the callback still arrives.
      later(() => hand(envelope, "service"));
      return 504;
    }
    if (fate < 0.16) later(() => hand(tamper(envelope, random), "tampering"));
    if (fate > 0.16 && fate < 0.26) {
      for (let copy = random.between(1, 4); copy > 0; copy -= 1) void hand(envelope, "copy");
    }
    const old = fate > 0.26 && fate < 0.3 ? posts[random.between(0, posts.length - 1)] : undefined;
    if (old !== undefined) later(() => hand(old.envelope, "replay"));
    const status = await hand(envelope, "service");
    const isAnswerLost = fate > 0.3 && fate < 0.34;
    return isAnswerLost ? 502 : (status ?? 504);
  };

  const server = createServer((incoming, response) => {
    text(incoming)
      .then(carry)
      .then((status) => response.writeHead(status).end('{"code":20000,"msg":""}'))
      .catch(() => response.destroy());
  });
  const { endpoint, stop } = await listenOnLoopback(server);
  return {
    url: endpoint,
    /** Delivers an envelope that the service does not send now: a thief's, or an old one. */
    inject: (envelope: string, by: "thief" | "replay") => hand(envelope, by),
    posts,
    stop,
    /** From now on everything is delivered unchanged. Waits for delayed envelopes and for each response. */
    calm: async () => {
      isCalm = true;
      while (underWay.size > 0) await Promise.allSettled([...underWay]);
    },
    /** How many envelopes are delayed or have no response yet. The service may have stopped waiting for it. */
    countUnderWay: () => underWay.size,
  };
}

const changes: readonly ((envelope: JsonObject, random: Random) => JsonObject)[] = [
  ({ body }, random) => ({ body: withOtherBit(Buffer.from(String(body), "base64"), random) }),
  () => ({ id: crypto.randomUUID() }),
  ({ timestamp }) => ({ timestamp: Number(timestamp) + 1 }),
  () => ({ eventName: "payment.order.success", note: "added" }),
  (_envelope, random) => ({ sign: Buffer.alloc(256, random.between(1, 255)).toString("base64") }),
];

/** A copy that must be rejected. */
function tamper(original: string, random: Random): string {
  const envelope = parseObject(original) ?? {};
  return JSON.stringify({ ...envelope, ...random.pick(changes)(envelope, random) });
}

function withOtherBit(body: Buffer, random: Random): string {
  const at = random.between(0, body.length - 1);
  body[at] = (body[at] ?? 0) ^ (1 << random.between(0, 7));
  return body.toString("base64");
}
