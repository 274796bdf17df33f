import { startChild } from "../setup/start-child.ts";
import type { SampleMessage } from "./sample-message.ts";

/** Starts sink.ts with the keys of this message. */
export async function startSink({ aesKey, publicPem }: SampleMessage) {
  const secret = { aesKey: aesKey.toString("base64"), servicePublicKey: publicPem };
  const { answer, kill } = await startChild<string>(new URL("sink.ts", import.meta.url), secret);
  return { endpoint: answer, stop: kill };
}
