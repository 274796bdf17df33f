import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * A port for a console that is stopped and started again at the same address. It is below those that the system gives to
 * other tests, so that none of them gets it in between.
 */
export async function ownPort(): Promise<number> {
  const port = randomInt(30_000, 32_000);
  return (await isFree(port)) ? port : await ownPort();
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const isListening = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
  });
  if (isListening) await new Promise((resolve) => server.close(resolve));
  return isListening;
}
