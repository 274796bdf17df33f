import { startChild } from "../setup/start-child.ts";
import type { Certificate } from "./make-certificate.ts";
import type { SampleMessage } from "./sample-message.ts";

interface SinkOptions {
  readonly sample: SampleMessage;
  /** The items of the orders table as DynamoDB returns them, by their keys. Default: none. */
  readonly items?: Readonly<Record<string, object>>;
  /** How long each response takes. Default: no time. */
  readonly awsMilliseconds?: number;
  readonly serviceMilliseconds?: number;
  /** Default: no TLS, since it would be most of what a warm call costs. */
  readonly tls?: Certificate;
}

/** Starts sink.ts with the keys of this message. */
export async function startSink({
  sample,
  items = {},
  awsMilliseconds = 0,
  serviceMilliseconds = 0,
  tls,
}: SinkOptions) {
  const settings = { secret: secretOf(sample), items, awsMilliseconds, serviceMilliseconds, tls };
  const { answer, kill } = await startChild<string>(new URL("sink.ts", import.meta.url), settings);
  return { endpoint: answer, stop: kill };
}

/** The text of the only secret there. It serves as callback keys, request keys and stamp key. */
export function secretOf({ aesKey, publicPem, privatePem }: SampleMessage): string {
  return JSON.stringify({
    aesKey: aesKey.toString("base64"),
    servicePublicKey: publicPem,
    merchantPrivateKey: privatePem,
  });
}
