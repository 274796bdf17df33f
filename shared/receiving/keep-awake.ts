import { setTimeout as pause } from "node:timers/promises";
import { type Extension, registerExtension } from "./lambda-extension.ts";

const pauseAfterFailureMilliseconds = 1_000;

/**
 * Lambda freezes an instance when its answer is out, unless an extension still works: it waits until each extension
 * asks for the next invocation. So this asks only when `allDone` says that the invocation's work is finished. If it cannot
 * register, the work goes on while the instance happens to be awake.
 */
export async function keepAwake(
  runtimeApi: string,
  allDone: (requestId: string) => Promise<void>,
): Promise<void> {
  const extension = await registerExtension(runtimeApi).catch(() => undefined);
  if (extension !== undefined) void waitAfterEachAnswer(extension, allDone);
}

/** Never ends: Lambda would wait for an extension that does not ask, until the function's timeout. */
async function waitAfterEachAnswer(
  { nextInvocation }: Extension,
  allDone: (requestId: string) => Promise<void>,
): Promise<never> {
  for (;;) {
    try {
      await allDone(await nextInvocation());
    } catch {
      await pause(pauseAfterFailureMilliseconds);
    }
  }
}
