import { connect, createServer } from "node:net";

const host = "127.0.0.1";

/**
 * Takes a port that was just closed, without listening on it: calls to it are refused, and no server of another test
 * gets it. The returned function gives it back.
 */
export async function keepPort(port: number): Promise<() => Promise<void>> {
  const server = createServer((accepted) => accepted.on("error", () => {}).resume());
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  const other = typeof address === "object" ? address?.port : undefined;
  const socket = connect({ host, port: other!, localAddress: host, localPort: port });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve).once("error", reject);
  });
  return async () => {
    socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
}
