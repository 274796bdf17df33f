import { once } from "node:events";
import { runStack } from "./stack.ts";

/** The stack as a process of its own, so that it can be killed. Its emulators are elsewhere and go on. */
const [settings] = await once(process, "message");
const { stack, description } = await runStack(settings, (event) => {
  if (event.kind === "output") console.log(event.line);
  if (event.kind === "failure") console.log(JSON.stringify(event));
});

/** Each further message is the name of a function, of which one busy instance ends. */
process.on("message", (crashed: string) => {
  const running = stack.functions.find(({ definition }) => definition.label === crashed);
  void running?.crash();
});
process.send?.(description);
