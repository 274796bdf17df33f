import { once } from "node:events";
import type { StackLog } from "../../tools/local/stack/functions/stack-event.ts";
import { runStack } from "./stack.ts";

/** What the process is asked to do. */
export type StackRequest =
  /** One busy instance of this function ends. */
  | { readonly crash: string }
  /** So many milliseconds pass: `moved` comes when the clock has moved, `jumped` when everything due is done. */
  | { readonly jump: number };

/** The stack as a process of its own, so that it can be killed. Its emulators are elsewhere and go on. */
const [settings] = await once(process, "message");
const log: StackLog = (event) => {
  if (event.kind === "output") console.log(event.line);
  if (event.kind === "failure") console.log(JSON.stringify(event));
};
const moved = (milliseconds: number) => void process.send?.({ moved: milliseconds });
const { stack, description, jump } = await runStack(settings, log, moved);

process.on("message", (request: StackRequest) => {
  if ("jump" in request) {
    void jump(request.jump).then(() => process.send?.({ jumped: request.jump }));
    return;
  }
  const running = stack.functions.find(({ definition }) => definition.label === request.crash);
  void running?.crash();
});
process.send?.(description);
