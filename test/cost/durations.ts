import { readFileSync } from "node:fs";
import * as z from "zod";

/** All functions that handle orders and callbacks have 512 MB. */
const memoryMegabytes = 512;
export const memoryGigabytes = memoryMegabytes / 1024;

const figures = new URL("../../docs/proof/memory.json", import.meta.url);
const { rows } = z
  .object({
    rows: z.array(z.object({ name: z.string(), megabytes: z.number(), warm: z.number() })),
  })
  .parse(JSON.parse(readFileSync(figures, "utf8")));

/** How long a warm call takes with this memory, as `npm run proof -- memory` measured it. */
function warmMilliseconds(call: string, size = memoryMegabytes): number {
  const row = rows.find(({ name, megabytes }) => name === call && megabytes === size);
  if (row === undefined) throw new Error(`docs/proof/memory.json has no ${call}.`);
  return row.warm;
}

/** count-attention has 256 MB. */
export const countMilliseconds = warmMilliseconds("count-attention", 256);

export const batchMilliseconds = warmMilliseconds("process-callback, ten messages");

/** Of a call of each function, in milliseconds. */
export const callMilliseconds: Readonly<Record<string, number>> = {
  "receive-callback": warmMilliseconds("receive-callback"),
  "process-callback": warmMilliseconds("process-callback, one message"),
  "create-order": warmMilliseconds("create-order"),
  "query-order": warmMilliseconds("query-order, an open order"),
  "reconcile-orders": warmMilliseconds("reconcile-orders, nothing due"),
};
