import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { SampleMessage } from "./sample-message.ts";

interface Sink {
  readonly endpoint: string;
  /** The bytes of the first message that it gets. */
  readonly firstMessage: Promise<string>;
  readonly stop: () => void;
}

/** Starts sink.ts with the keys of this message. */
export async function startSink(sample: SampleMessage): Promise<Sink> {
  const stdio = ["ignore", "ignore", "inherit", "ipc"] as const;
  const child: ChildProcess = fork(new URL("sink.ts", import.meta.url), { stdio: [...stdio] });
  const aesKey = sample.aesKey.toString("base64");
  child.send(JSON.stringify({ aesKey, servicePublicKey: sample.publicPem }));
  const [{ port }] = await once(child, "message");
  return {
    endpoint: `http://127.0.0.1:${port}`,
    firstMessage: once(child, "message").then(([body]) => String(body)),
    stop: () => child.disconnect(),
  };
}
