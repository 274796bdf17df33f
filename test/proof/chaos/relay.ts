import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { listenOnLoopback } from "../../../local/aws/listen-on-loopback.ts";
import { parseObject } from "./check/open-envelope.ts";
import type { Random } from "./random.ts";

/** One envelope that reached the stack, and its answer. */
export interface Post {
  readonly atMilliseconds: number;
  readonly endedMilliseconds: number;
  readonly envelope: string;
  /** How it got onto the way: from the service, or by the relay's own doing. */
  readonly by: "service" | "copy" | "tampering" | "replay";
  /** Undefined if there was no answer. */
  readonly status: number | undefined;
  readonly answer: string;
}

export interface Relay {
  readonly url: string;
  readonly posts: readonly Post[];
  /** Callbacks that the service believes to be delivered, and that never arrived. */
  readonly lost: readonly string[];
  /** From now on everything is passed on as it comes. */
  readonly calm: () => void;
  /** Waits for what is held back. */
  readonly idle: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

const longestHoldMilliseconds = 3_000;

/**
 * The internet between the payment service and the stack: it repeats, delays, loses, swaps and changes what it carries,
 * and writes down every envelope that it hands over.
 */
export async function startRelay(callbacks: string, random: Random): Promise<Relay> {
  const posts: Post[] = [];
  const lost: string[] = [];
  const held = new Set<Promise<unknown>>();
  let isCalm = false;

  const hand = async (envelope: string, by: Post["by"]) => {
    const atMilliseconds = Date.now();
    const { status, answer } = await post(callbacks, envelope);
    posts.push({ atMilliseconds, endedMilliseconds: Date.now(), envelope, by, status, answer });
    return status;
  };
  const later = (work: () => Promise<unknown>) => {
    const holding = wait(random.between(10, longestHoldMilliseconds)).then(work);
    held.add(holding);
    void holding.finally(() => held.delete(holding));
  };
  /** Gives the status that the service gets to see. */
  const carry = async (envelope: string): Promise<number> => {
    const fate = isCalm ? 1 : random.next();
    if (fate < 0.04) return swallow(envelope);
    if (fate < 0.1) {
      // The service gives up waiting, and the callback arrives after all.
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
  const swallow = (envelope: string) => {
    lost.push(String(parseObject(envelope)?.["id"]));
    return 200;
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
    posts,
    lost,
    calm: () => {
      isCalm = true;
    },
    idle: async () => {
      while (held.size > 0) await Promise.allSettled([...held]);
    },
    stop,
  };
}

async function post(url: string, body: string): Promise<Pick<Post, "status" | "answer">> {
  try {
    const signal = AbortSignal.timeout(30_000);
    const headers = { "content-type": "application/json" };
    const answer = await fetch(url, { method: "POST", body, headers, signal });
    return { status: answer.status, answer: await answer.text() };
  } catch (error) {
    return { status: undefined, answer: String(error) };
  }
}

const changes: readonly ((envelope: Record<string, unknown>, random: Random) => void)[] = [
  (envelope, random) => {
    const body = Buffer.from(String(envelope["body"]), "base64");
    const at = random.between(0, body.length - 1);
    body[at] = (body[at] ?? 0) ^ (1 << random.between(0, 7));
    envelope["body"] = body.toString("base64");
  },
  (envelope) => {
    envelope["id"] = crypto.randomUUID();
  },
  (envelope) => {
    envelope["timestamp"] = Number(envelope["timestamp"]) + 1;
  },
  (envelope) => {
    envelope["eventName"] = "payment.order.success";
    envelope["note"] = "added";
  },
  (envelope, random) => {
    envelope["sign"] = Buffer.alloc(256, random.between(1, 255)).toString("base64");
  },
];

/** A copy that must be refused. */
function tamper(original: string, random: Random): string {
  const envelope = parseObject(original) ?? {};
  random.pick(changes)(envelope, random);
  return JSON.stringify(envelope);
}
