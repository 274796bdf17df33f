import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import * as z from "zod";
import { keptOrderSchema } from "./kept-order.ts";

const fileSchema = z.object({
  version: z.literal(1),
  /** How far the simulator's clock was ahead of real time. */
  aheadMilliseconds: z.number(),
  /** Oldest first. */
  orders: z.array(keptOrderSchema),
});

export type KeptOrders = z.output<typeof fileSchema>;

/** Undefined if there is no file. A file that cannot be read is moved aside, so that a person can look at it. */
export function readOrdersFile(path: string, tell: (line: string) => void): KeptOrders | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return fileSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    const aside = `${path}.broken-${Date.now()}`;
    renameSync(path, aside);
    tell(`The kept orders cannot be read. The file is now ${aside}, and there are no orders.`);
    return undefined;
  }
}

/** Written under another name, then renamed: a crash leaves the old file or the new one, never half of one. */
export function writeOrdersFile(path: string, aheadMilliseconds: number, orders: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const text = `{"version":1,"aheadMilliseconds":${aheadMilliseconds},"orders":${orders}}\n`;
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

export function ordersText(orders: readonly object[]): string {
  return JSON.stringify(orders, (_name, value: unknown) => {
    if (typeof value === "bigint") return value.toString();
    return value === undefined ? null : value;
  });
}
