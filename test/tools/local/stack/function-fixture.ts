import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach } from "vitest";
import { createStackClock } from "../../../../tools/local/clock/stack-clock.ts";
import {
  type RunningFunction,
  runFunction,
} from "../../../../tools/local/stack/functions/run-function.ts";
import type { StackEvent } from "../../../../tools/local/stack/functions/stack-event.ts";
import { temporaryFolder } from "../../../setup/temporary-folder.ts";

type Settings = {
  timeoutSeconds?: number;
  maxInstances?: number;
  isConcurrencyReserved?: boolean;
};

/** One function for each test, which writes its code. */
export class FunctionFixture {
  readonly events: StackEvent[] = [];
  readonly clock = createStackClock();
  private folder = "";
  private running: RunningFunction | undefined;

  write(code: string): void {
    writeFileSync(join(this.folder, "index.mjs"), code);
  }

  run(code: string, settings: Settings = {}): RunningFunction {
    this.folder = temporaryFolder("function");
    this.write(code);
    return this.runIn(this.folder, settings);
  }

  /** Runs a bundle that is there already. */
  runIn(codeDirectory: string, settings: Settings = {}): RunningFunction {
    const definition = {
      name: "fn",
      label: "fn",
      arn: "arn:aws:lambda:us-east-1:000000000000:function:fn",
      codeDirectory,
      handler: "index.handler",
      timeoutSeconds: 5,
      memoryMegabytes: 128,
      maxInstances: 2,
      isConcurrencyReserved: false,
      environment: { GREETING: "hello", TZ: "UTC" },
      ...settings,
    };
    const endpoints = { sqs: "http://q", dynamodb: "http://d", secretsmanager: "http://s" };
    const log = (event: StackEvent) => this.events.push(event);
    this.running = runFunction(definition, endpoints, this.clock, log);
    return this.running;
  }

  async stop(): Promise<void> {
    await this.running?.stop();
    this.events.length = 0;
  }
}

export function useFunction(): FunctionFixture {
  const fixture = new FunctionFixture();
  afterEach(() => fixture.stop());
  return fixture;
}

export async function result(fn: RunningFunction, event: unknown = {}) {
  const invoked = await fn.invoke(event);
  return invoked.ok ? JSON.parse(invoked.json) : { failed: invoked.reason };
}
