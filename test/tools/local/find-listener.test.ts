import { once } from "node:events";
import { chmodSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { findListener } from "../../../tools/local/refuse-taken-ports.ts";
import { temporaryFolder } from "../../setup/temporary-folder.ts";

afterEach(() => vi.restoreAllMocks());

/** A container may have no IPv6. */
const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
const hosts = ["127.0.0.1", "0.0.0.0", "::1"].filter(
  (host) => host !== "::1" || addresses.some(({ address }) => address === host),
);

async function listen(host: string) {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as { port: number };
  return { server, port, close: () => new Promise((resolve) => server.close(resolve)) };
}

test.each(hosts)(
  "the process that listens on %s is found, and none when it has stopped",
  async (host) => {
    const { port, close } = await listen(host);
    expect(await findListener(port)).toMatch(new RegExp(`^.+ \\(process ${process.pid}\\)$`));
    await close();
    expect(await findListener(port)).toBeUndefined();
  },
);

test("a process that only has a connection on the port does not listen", async () => {
  const { server, port } = await listen("127.0.0.1");
  const client = connect(port, "127.0.0.1");
  const [accepted] = await once(server, "connection");
  const closed = once(server, "close");
  server.close();
  expect(await findListener(port)).toBeUndefined();
  accepted.destroy();
  client.destroy();
  await closed;
});

test("on other systems lsof is asked, and without it nothing is known", async () => {
  const folder = temporaryFolder("lsof");
  vi.spyOn(process, "platform", "get").mockReturnValue("darwin");
  vi.stubEnv("PATH", `${folder}:/usr/bin:/bin`);
  const lsof = join(folder, "lsof");
  writeFileSync(
    lsof,
    '#!/bin/sh\n[ "$2" = "-iTCP:3003" ] && printf "p4711\\ncControlCenter\\nf9\\n"\n',
  );
  chmodSync(lsof, 0o755);
  expect(await findListener(3003)).toBe("ControlCenter (process 4711)");
  expect(await findListener(3004)).toBeUndefined();
  vi.stubEnv("PATH", "/nowhere");
  expect(await findListener(3003)).toBeUndefined();
  vi.unstubAllEnvs();
});
