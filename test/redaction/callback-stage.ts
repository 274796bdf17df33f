import { randomUUID } from "node:crypto";
import { sendTo } from "../integration/fault-proxy.ts";
import type { Instance } from "../integration/instance.ts";
import { type Queued, sqsEvent } from "../integration/lambda-events.ts";
import type { World } from "../integration/world.ts";
import type { Canaries } from "./canary.ts";
import { createRequests, type Fields } from "./loaded.ts";
import type { Watch } from "./watch.ts";

export type CallbackStage = Awaited<ReturnType<typeof startCallbacks>>;

/** receive-callback and process-callback under watch. */
export async function startCallbacks(world: World, canaries: Canaries, watch: Watch) {
  const receiver = await world.start("receive-callback");
  const processor = await world.start("process-callback");
  const requestFor = createRequests(canaries);
  let taken = 0;
  const receive = async (body: string, further: object = {}, by = receiver) => {
    const route = { routeKey: "POST /callbacks", body, ...further };
    watch.outcome(await by.invoke(requestFor(route)));
    watch.lines(by);
  };
  const process = async (messages: readonly Queued[], remainingMilliseconds?: number) => {
    watch.outcome(await processor.invoke(sqsEvent(messages), remainingMilliseconds));
    watch.lines(processor);
  };
  return {
    receiver,
    processor,
    process,
    receive,
    send: (envelope: Fields, by: Instance = receiver) => receive(JSON.stringify(envelope), {}, by),
    /** What receive-callback has put into the inbox since the last call. */
    newMessages: (): Queued[] => {
      const sent = receiver.faults.calls.filter(sendTo(world.inboxUrl));
      const fresh = sent.slice(taken).filter(({ arrived }) => arrived);
      taken = sent.length;
      return fresh.map(({ input }) => ({
        messageId: randomUUID(),
        group: String(input["MessageGroupId"]),
        body: String(input["MessageBody"]),
        isWhole: true,
      }));
    },
  };
}
