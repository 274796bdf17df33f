import { startChild } from "../setup/start-child.ts";
import type { Comparison } from "./compare.ts";

const whole = "the whole receive-callback";
const post = "a bare signed POST of the same bytes";

/** Above what was measured: docs/decisions/0006-few-kilobytes-on-the-cold-path.md. */
const mostRatio = 9;

/** In a process of its own, because the function writes a log line for each call. */
export async function compareReceiving(folder: string): Promise<Comparison> {
  const script = new URL("receive-child.ts", import.meta.url);
  const { ask, kill } = await startChild(script, { folder });
  return {
    title: "Processor time from API Gateway's event to the answer, over a socket.",
    unit: "µs",
    rounds: 21,
    contenders: { [post]: () => ask("post"), [whole]: () => ask("whole") },
    bounds: [{ slower: whole, faster: post, atMost: mostRatio }],
    stop: kill,
  };
}
