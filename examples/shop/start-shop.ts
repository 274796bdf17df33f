import type { Server } from "node:http";
import { createMemory } from "./memory.ts";
import { packOrders } from "./pack-orders.ts";
import type { Pay } from "./pay.ts";
import { createPaycastApi } from "./paycast-api.ts";
import { createShopServer } from "./server.ts";
import { type Settings, SettingsError } from "./settings.ts";

export interface RunningShop {
  readonly stop: () => Promise<void>;
}

/** The two halves of a shop: the pages, which ask Paycast, and the packing, which listens to its events. */
export async function startShop(
  settings: Settings,
  tell: (line: string) => void,
): Promise<RunningShop> {
  const { address, sqs, queueUrl } = settings;
  const memory = createMemory();
  const api = createPaycastApi(settings.api, settings.authorize);
  const pages: Pay = { api, memory, address, tell, creating: new Map() };
  const server = createShopServer(pages);
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
