import { startChild } from "../setup/start-child.ts";
import type { Comparison } from "./compare.ts";

const post = "a bare signed POST of one message";
const alone = "process-callback, a message alone";
const together = "process-callback, a message of ten";

/** In a process of its own, because the function writes log lines. */
export async function compareProcessing(folder: string): Promise<Comparison> {
  const script = new URL("process-child.ts", import.meta.url);
  const { ask, kill } = await startChild(script, { folder });
  return {
    title: "Processor time of process-callback for a message, with one subscriber.",
    unit: "µs",
    rounds: 15,
    contenders: {
      [post]: () => ask("post"),
      [alone]: () => ask("one"),
      [together]: () => ask("ten"),
    },
    bounds: [
      { slower: together, faster: post, atMost: 18 },
      { slower: together, faster: alone, atMost: 0.75 },
    ],
    stop: kill,
  };
}
