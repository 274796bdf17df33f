import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import * as https from "node:https";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { GatewayError, type GatewayFailure } from "../../../shared/gateway/gateway-error.ts";
import { createPoster } from "../../../shared/gateway/post-json.ts";
import { listenOnLoopback } from "../../../tools/local/aws/listen-on-loopback.ts";
import { type Conduct, closedPort, resetting, silent, startRawServer } from "./raw-server.ts";

/** Long enough that also a busy machine has connected and sent by then. */
const soon = 2_000;
const enough = 5_000;

/** The failure that a post ends in; fails the test if there is none. */
async function failureOf(posting: Promise<unknown>): Promise<string> {
  const outcome = await posting.then(
    () => "no failure",
    (error: unknown) => error,
  );
  if (!(outcome instanceof GatewayError)) throw new Error(`not a gateway error: ${outcome}`);
  return outcome.failure;
}

const bad = "HTTP/1.1 400 Bad Request\r\n\r\n";
const half = 'HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{"code":20000';
const tls = (url: URL) => new URL(url.href.replace("http:", "https:"));

describe("nothing was sent, and the failure says so,", () => {
  test("when nobody listens", async () => {
    expect(await failureOf(createPoster()(await closedPort(), "{}", enough))).toBe("unreachable");
  });

  test("when the name does not resolve", async () => {
    const url = new URL("http://no-such-host.invalid/");
    expect(await failureOf(createPoster()(url, "{}", enough))).toBe("unreachable");
  });

  test.each<[when: string, onConnection: (socket: Socket) => void, timeout: number]>([
    ["the port does not speak TLS", (socket) => socket.once("data", () => socket.end(bad)), enough],
    ["the TLS handshake is never answered", () => {}, soon],
    ["the connection is reset in the TLS handshake", (socket) => socket.resetAndDestroy(), enough],
  ])("when %s", async (_case, onConnection, timeout) => {
    const server = await startRawServer(silent, onConnection);
    expect(await failureOf(createPoster()(tls(server.url), "{}", timeout))).toBe("unreachable");
    expect([server.connections, server.requests]).toEqual([1, []]);
  });

  test("when the certificate is not to be trusted", async () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-certificate-"));
    try {
      const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
      const subject = ["-subj", "/CN=127.0.0.1", "-days", "1"];
      const curve = ["-pkeyopt", "ec_paramgen_curve:P-256"];
      const files = ["-keyout", key, "-out", cert];
      const args = ["req", "-x509", "-newkey", "ec", ...curve, "-nodes", ...files, ...subject];
      execFileSync("openssl", args, { stdio: "ignore" });
      let requests = 0;
      const server = https.createServer(
        { key: readFileSync(key), cert: readFileSync(cert) },
        (_request, response) => {
          requests += 1;
          response.end("{}");
        },
      );
      const { endpoint, stop } = await listenOnLoopback(server);
      expect(await failureOf(createPoster()(tls(new URL(endpoint)), "{}", enough))).toBe(
        "unreachable",
      );
      expect(requests).toBe(0);
      await stop();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe("the service may have acted, and the failure says so,", () => {
  test("when the connection is reset before the request is read", async () => {
    const server = await startRawServer(silent, (socket) => {
      socket.once("data", () => socket.resetAndDestroy());
    });
    const long = JSON.stringify("x".repeat(4 * 1024 * 1024));
    expect(await failureOf(createPoster()(server.url, long, enough))).toBe("disconnected");
    expect(server.requests).toEqual([]);
  });

  const notHttp: Conduct = (socket) => socket.end("SSH-2.0-OpenSSH_9.2\r\n");
  const cut: Conduct = (socket) => socket.end(half);

  test.each<[when: string, conduct: Conduct, timeout: number, failure: GatewayFailure]>([
    ["the connection is reset after the request was read", resetting, enough, "disconnected"],
    ["the connection is closed without a word", (socket) => socket.end(), enough, "disconnected"],
    ["no answer comes in time", silent, soon, "timed-out"],
    ["the answer stops in the middle", (socket) => socket.write(half), soon, "timed-out"],
    ["the connection is closed in the middle of the answer", cut, enough, "disconnected"],
    ["what comes back is not HTTP", notHttp, enough, "unreadable"],
  ])("when %s", async (_case, conduct, timeout, failure) => {
    const server = await startRawServer(conduct);
    expect(await failureOf(createPoster()(server.url, "{}", timeout))).toBe(failure);
    expect(server.requests).toHaveLength(1);
  });

  test("when the answer has no end", async () => {
    const chunk = "x".repeat(64 * 1024);
    const server = await startRawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      const pour = () => void (socket.destroyed || socket.write(chunk, pour));
      pour();
    });
    expect(await failureOf(createPoster()(server.url, "{}", enough))).toBe("unreadable");
  });
});
