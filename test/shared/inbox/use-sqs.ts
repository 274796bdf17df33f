import type { Server } from "node:http";
import { afterAll, beforeAll, vi } from "vitest";
import { type Listening, listenOnLoopback } from "../../../tools/local/aws/listen-on-loopback.ts";

/** The SDK's clients of these tests take this server for SQS. */
export function useSqs(server: Server): () => Listening {
  let listening: Listening;
  beforeAll(async () => {
    listening = await listenOnLoopback(server);
    vi.stubEnv("AWS_ENDPOINT_URL_SQS", listening.endpoint);
    vi.stubEnv("AWS_REGION", "eu-central-1");
    vi.stubEnv("AWS_ACCESS_KEY_ID", "local");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "local");
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await listening.stop();
  });
  return () => listening;
}
