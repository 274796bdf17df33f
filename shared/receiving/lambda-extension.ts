import { type RequestOptions, request } from "node:http";
import * as z from "zod/mini";
import { parseJson } from "../parse-json.ts";
import { extensionRegisterMilliseconds } from "../timing.ts";

/** An extension inside the function's own process. */
export interface Extension {
  /** Gives the id of the next invocation. Asking says that all work for the last one is finished. */
  readonly nextInvocation: () => Promise<string>;
}

interface Answer {
  readonly identifier: string | string[] | undefined;
  readonly text: string;
}

/** Lambda accepts a registration only while the function starts, and from inside the function only for INVOKE. */
export async function registerExtension(runtimeApi: string): Promise<Extension> {
  const base = `http://${runtimeApi}/2020-01-01/extension`;
  const { identifier } = await call(
    `${base}/register`,
    {
      method: "POST",
      headers: { "Lambda-Extension-Name": "paycast-capture" },
      signal: AbortSignal.timeout(extensionRegisterMilliseconds),
    },
    JSON.stringify({ events: ["INVOKE"] }),
  );
  if (identifier === undefined) throw new Error("The Extensions API gave no identifier.");
  const headers = { "Lambda-Extension-Identifier": identifier };
  const invocation = z.object({ requestId: z.string() });
  const nextInvocation = async () => {
    const { text } = await call(`${base}/event/next`, { method: "GET", headers });
    return invocation.parse(parseJson(text)).requestId;
  };
  return { nextInvocation };
}

/** By node:http, because fetch gives up when no answer comes for minutes, and the next invocation may take longer. */
function call(url: string, options: RequestOptions, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { ...options, agent: false }, (response) => {
      const chunks: string[] = [];
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const identifier = response.headers["lambda-extension-identifier"];
        if (response.statusCode === 200) resolve({ identifier, text: chunks.join("") });
        else reject(new Error(`The Extensions API answered ${response.statusCode}.`));
      });
    });
    sent.on("error", reject).end(body);
  });
}
