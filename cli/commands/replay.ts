import { parseArgs } from "node:util";
import { replay as group } from "../../operations/replay/replay.ts";
import { loadRun, runsOf } from "../../operations/replay/run.ts";
import type { Command } from "../frame/command.ts";
import { commandOf } from "../frame/described-command.ts";
import { dataDirectory } from "../frame/target-command.ts";

const command = commandOf(group);

export const replay: Command = {
  ...command,
  run: async (args, terminal) =>
    await command.run([...args, ...(await stackOfRun(args))], terminal),
};

const options = {
  resume: { type: "string" },
  stack: { type: "string" },
  local: { type: "boolean" },
} as const;

/** A run that is resumed knows its stack, whatever PAYCAST_STACK says. */
async function stackOfRun(args: readonly string[]): Promise<readonly string[]> {
  const { resume, stack, local } = parseArgs({ args: [...args], options, strict: false }).values;
  if (typeof resume !== "string" || stack !== undefined || local !== undefined) return [];
  const directory = runsOf({ directory: dataDirectory() });
  const run = await loadRun(directory, resume).catch(() => undefined);
  if (run === undefined) return [];
  return run.target.kind === "local" ? ["--local"] : ["--stack", run.target.name];
}
