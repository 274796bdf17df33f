import { readFileSync } from "node:fs";
import { describeStack, writeDescription } from "../../../local/describe-stack.ts";
import { startStack } from "../../../local/stack/start-stack.ts";
import type { ChildSettings, FromChild, ToChild } from "./stack-process.ts";

/** The stack as a process of its own, so that it can be killed. Its emulators are elsewhere and go on. */
const settings: ChildSettings = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
const { emulators, simulator, directory, merchantIds } = settings;

const stack = await startStack({
  ...{ template: settings.template, assetDirectory: settings.assetDirectory, emulators },
  ...{ functionEndpoints: settings.functionEndpoints, port: settings.port, keepData: true },
  origins: { [settings.gateway]: simulator },
  log: (event) => {
    if (event.kind === "output") console.log(event.line);
    if (event.kind === "failure") console.log(JSON.stringify(event));
  },
});
const addresses = { gateway: simulator, console: simulator, shop: simulator, merchantIds };
const description = describeStack(stack, { ...emulators, stop: async () => {} }, addresses);
writeDescription(directory, description);
stack.open();

process.on("message", ({ crash }: ToChild) => {
  const running = stack.functions.find(({ definition }) => definition.label === crash);
  void running?.crash();
});
const ready: FromChild = { description };
process.send?.(ready);
