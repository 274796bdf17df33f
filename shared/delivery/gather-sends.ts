import { mostMessageBytes } from "../message-size.ts";
import { sendGatherMilliseconds } from "../timing.ts";
import type { OutgoingEvent, SendEvents, SendInTime, SendResults } from "./delivery.ts";
import type { Subscriber } from "./subscriber.ts";

/** Gathers the sends of the messages of one batch. */
export interface SendGatherer {
  /**
   * Processes a message. Until it sends its event, or ends without one, the sends of the others wait for it, but only
   * for some milliseconds.
   */
  readonly track: <T>(process: (send: SendInTime) => Promise<T>) => Promise<T>;
}

/** An event that waits for others to the same queue. */
interface WaitingSend {
  readonly subscriber: Subscriber;
  readonly event: OutgoingEvent;
  readonly limitMilliseconds: number;
  readonly settle: (result: Promise<void>) => void;
}

/**
 * The messages of a batch reach their sends at about the same time. What they send to one queue is one call to SQS then,
 * which costs as much as the call for one event. A message that is alone in its batch waits for nobody.
 */
export function createSendGatherer(sendEvents: SendEvents): SendGatherer {
  let expected = 0;
  let waiting: WaitingSend[] = [];
  let timer: NodeJS.Timeout | undefined;
  const sendAll = () => {
    clearTimeout(timer);
    const sends = waiting;
    waiting = [];
    for (const subscriber of new Set(sends.map((send) => send.subscriber))) {
      sendToOne(
        sends.filter((send) => send.subscriber === subscriber),
        subscriber,
        sendEvents,
      );
    }
  };
  const settleExpected = () => {
    expected -= 1;
    // After this turn: the message still has to send to its other subscribers, and other messages may still begin.
    queueMicrotask(() => {
      if (expected === 0) sendAll();
    });
  };
  return {
    track: async (process) => {
      expected += 1;
      let isExpected = true;
      const hasSentOrEnded = () => {
        if (isExpected) settleExpected();
        isExpected = false;
      };
      const send: SendInTime = (subscriber, event, limitMilliseconds) =>
        new Promise((settle) => {
          if (waiting.length === 0) timer = setTimeout(sendAll, sendGatherMilliseconds);
          waiting.push({ subscriber, event, limitMilliseconds, settle });
          hasSentOrEnded();
        });
      try {
        return await process(send);
      } finally {
        hasSentOrEnded();
      }
    },
  };
}

function sendToOne(
  sends: readonly WaitingSend[],
  subscriber: Subscriber,
  sendEvents: SendEvents,
): void {
  for (const call of callsFor(sends)) {
    const events = call.map(({ event }) => event);
    const limit = Math.min(...call.map(({ limitMilliseconds }) => limitMilliseconds));
    const sent = sendEvents(subscriber, events, limit);
    for (const { event, settle } of call) settle(resultOf(event, sent));
  }
}

async function resultOf(event: OutgoingEvent, sent: Promise<SendResults>): Promise<void> {
  const result = (await sent).get(event);
  if (result !== "accepted") throw result ?? new Error("The send has no result.");
}

/** SQS's limits for a call. The second is for the bodies together; the attributes and names of ten events are less. */
const mostEvents = 10;
const mostBytes = mostMessageBytes - mostEvents * 1_024;

/** An event that is larger is sent alone, and SQS decides. */
function callsFor(sends: readonly WaitingSend[]): WaitingSend[][] {
  const calls: WaitingSend[][] = [];
  let bytes = 0;
  for (const send of sends) {
    const last = calls.at(-1);
    // Events are ASCII.
    const { length } = send.event.event;
    if (last !== undefined && last.length < mostEvents && bytes + length <= mostBytes) {
      last.push(send);
      bytes += length;
    } else {
      calls.push([send]);
      bytes = length;
    }
  }
  return calls;
}
