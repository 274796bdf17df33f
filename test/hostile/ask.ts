import { Agent, request as requestOf } from "node:http";
import { connect } from "node:net";
import { text as readText } from "node:stream/consumers";
import { fewAtOnce } from "../../tools/operations/few-at-once.ts";

export interface Asked {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string | undefined;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 });

/** Only for what hangs: then the failure names the request, and not only the test. */
const patienceMilliseconds = 60_000;

/** A request to the letter: fetch would tidy up its path and refuse its body. Status 0 is no answer. */
function ask(
  origin: string,
  { method = "POST", path, headers = {}, body }: Asked,
): Promise<Answer> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve) => {
    const fail = (error: Error) => resolve({ status: 0, type: "", text: error.message });
    const options = {
      hostname,
      port,
      method,
      path,
      agent,
      signal: AbortSignal.timeout(patienceMilliseconds),
      headers: { "content-length": Buffer.byteLength(body ?? ""), ...headers },
    };
    const sent = requestOf(options, (answer) => {
      const { statusCode: status = 0, headers: received } = answer;
      const type = received["content-type"] ?? "";
      readText(answer).then((text) => resolve({ status, type, text }), fail);
    });
    sent.on("error", fail).end(body);
  });
}

/** What is wrong with an answer, or undefined. */
export type Judge = (answer: Answer) => string | undefined;

/**
 * Sends everything, and gives what was not answered as documented. A machine that is busy with so much at once may refuse
 * something for a moment, so that is sent once more, alone: what a request itself breaks, it breaks again.
 */
export async function badAnswers(
  origin: string,
  judge: Judge,
  all: readonly Asked[],
): Promise<string[]> {
  const isBad = async (asked: Asked) => judge(await ask(origin, asked)) !== undefined;
  const bad = await fewAtOnce(all, async (asked) => ((await isBad(asked)) ? [asked] : []), 8);
  const faults: string[] = [];
  for (const asked of bad.flat()) {
    const answer = await ask(origin, asked);
    const { method = "POST", path, body = "" } = asked;
    const sent = `${method} ${path.slice(0, 100)} ${String(body).slice(0, 200)}`;
    const fault = judge(answer);
    if (fault !== undefined) faults.push(`${sent}: ${fault}, ${answer.status} ${answer.text}`);
  }
  return faults;
}

/** Bytes that are hardly HTTP. Gives the first line of what comes back before the server closes the connection. */
export async function say(origin: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.setTimeout(patienceMilliseconds, () => socket.destroy(new Error("no answer")));
  socket.end(bytes, "latin1");
  const text = await readText(socket).catch((error: NodeJS.ErrnoException) => {
    return error.code === "ECONNRESET" ? "" : `HTTP/1.1 0 ${error.message}`;
  });
  return text.split("\r\n", 1)[0] ?? "";
}
