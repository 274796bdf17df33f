import { setTimeout as wait } from "node:timers/promises";
import { ListQueuesCommand, type SQSClient } from "@aws-sdk/client-sqs";
import type { Disturbance } from "./disturber.ts";

const everyMilliseconds = 250;
const longMilliseconds = 700;

/**
 * Asks the emulator something small all the time, past the faults. When that takes long, the machine has too much to
 * do: a call of the stack may then fail with nothing wrong. Such times count as disturbances, and are told.
 */
export function watchMachine(sqs: SQSClient): () => Promise<Disturbance[]> {
  const busy: Disturbance[] = [];
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const fromMilliseconds = Date.now();
      await wait(everyMilliseconds);
      await sqs.send(new ListQueuesCommand({ MaxResults: 1 }));
      const untilMilliseconds = Date.now();
      if (untilMilliseconds - fromMilliseconds < everyMilliseconds + longMilliseconds) continue;
      busy.push({ fromMilliseconds, untilMilliseconds, what: "the machine has too much to do" });
    }
    return busy;
  })();
  return async () => {
    isOver = true;
    return await watching;
  };
}
