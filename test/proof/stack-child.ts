import { once } from "node:events";
import type { StackLog } from "../../tools/local/stack/functions/stack-event.ts";
import { runStack } from "./stack.ts";

/** The commands to the process. */
export type StackRequest =
  /** One busy instance of this function ends. */
  | { readonly crash: string }
  /**
   * Moves the clock by this many milliseconds: `moved` is sent when it has moved, `jumped` when everything due is done.
   */
  | { readonly jump: number };

/** The stack in its own process, so that it can be killed. Its emulators are in another process and keep running. */
const [settings] = await once(process, "message");
const log: StackLog = (event) => {
  if (event.kind === "output") console.log(event.line);
  if (event.kind === "failure") console.log(JSON.stringify(event));
};
const moved = (milliseconds: number) => void process.send?.({ moved: milliseconds });
const { stack, description, jump } = await runStack(settings, log, moved);

// If the run fails, nobody ends this process.
process.once("disconnect", () => process.exit());
process.on("message", (request: StackRequest) => {
  if ("jump" in request) {
    void jump(request.jump).then(() => process.send?.({ jumped: request.jump }));
    return;
  }
  const running = stack.functions.find(({ definition }) => definition.label === request.crash);
  void running?.crash();
});
process.send?.(description);
