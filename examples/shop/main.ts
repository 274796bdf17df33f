import type { Server } from "node:http";
import { createMemory } from "./memory.ts";
import { packOrders } from "./pack-orders.ts";
import { createPaycastApi } from "./paycast-api.ts";
import { createShopServer } from "./server.ts";
import { readSettings, type Settings, SettingsError } from "./settings.ts";

/** `npm run shop`. */
async function main(): Promise<void> {
  const settings = await readSettings(process.env);
  const { stop } = await openShop(settings);
  console.log(`
The shop is open: ${settings.address}

  Paycast    ${settings.api}
  Queue      ${settings.queueUrl}

It keeps its orders in memory. Ctrl-C closes it.
`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void stop().then(() => process.exit(0)));
  }
}

/** The two halves of a shop: the pages, which ask Paycast, and the packing, which listens to its events. */
async function openShop(settings: Settings): Promise<{ readonly stop: () => Promise<void> }> {
  const { address, sqs, queueUrl } = settings;
  const tell = (line: string) => console.log(line);
  const memory = createMemory();
  const api = createPaycastApi(settings.api, settings.authorize);
  const server = createShopServer({ api, memory, address, tell, creating: new Map() });
  await listen(server, address);
  const stopping = new AbortController();
  const packing = packOrders({ sqs, queueUrl, memory, tell, stopped: stopping.signal });
  return {
    stop: async () => {
      stopping.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await packing;
      sqs.destroy();
    },
  };
}

async function listen(server: Server, address: string): Promise<void> {
  const port = Number(new URL(address).port);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const reason = cause.code === "EADDRINUSE" ? "another program uses it" : cause.message;
      const advice =
        "It must be this port, since the checkout sends people back to it. Is the shop already open?";
      reject(
        new SettingsError(`The shop cannot open port ${port}: ${reason}. ${advice}`, { cause }),
      );
    });
    server.listen(port, "127.0.0.1", resolve);
  });
}

main().catch((error: unknown) => {
  console.error(error instanceof SettingsError ? error.message : error);
  process.exitCode = 1;
});
