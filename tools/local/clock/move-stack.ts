import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { Simulator } from "../../simulator/start-simulator.ts";
import type { Emulators } from "../aws/start-emulators.ts";
import type { RunningStack } from "../stack/start-stack.ts";
import { expireItems } from "./expire-items.ts";
import type { StackClock } from "./stack-clock.ts";

interface MovedParts {
  readonly clock: StackClock;
  readonly stack: Pick<RunningStack, "sourceUrls" | "tables">;
  readonly queues: Emulators["queues"];
  readonly gateway: Pick<Simulator, "untilNextMilliseconds" | "jumpClock" | "isSettled">;
  readonly dynamodb: DynamoDBClient;
  /** Called after each jump with how far the clock is ahead. */
  readonly moved: (aheadMilliseconds: number) => void;
}

/** Makes the queues and the payment service follow the clock. Returns the function that moves all of them forward. */
export function moveStack(parts: MovedParts): (milliseconds: number) => Promise<void> {
  const { clock, stack, queues, gateway, dynamodb } = parts;
  // Invisible and delayed messages become visible when the clock has passed their time.
  clock.add({
    untilNextMilliseconds: queues.untilNextVisibleMilliseconds,
    moved: queues.lookAgain,
    isQuiet: () => stack.sourceUrls.every(queues.isQuiet),
  });
  clock.add({
    untilNextMilliseconds: gateway.untilNextMilliseconds,
    moved: (milliseconds) => gateway.jumpClock(milliseconds / 1000),
    isQuiet: gateway.isSettled,
  });
  return async (milliseconds) => {
    await clock.jump(milliseconds);
    await expireItems(dynamodb, stack.tables, clock.now());
    parts.moved(clock.aheadMilliseconds());
  };
}
