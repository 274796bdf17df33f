import { createColours } from "../../../shared/text/terminal-text.ts";
import { main } from "../../../tools/cli/main.ts";
import { stackName } from "../operations/deployed-stack.ts";

/** `npx paycast console --stack NAME` in this process, until `stop`. */
export async function serveDeployed(...args: string[]) {
  const stopping = new AbortController();
  let printed: (text: string) => void;
  const out = new Promise<string>((resolve) => {
    printed = resolve;
  });
  const code = main(["console", "--stack", stackName, "--json", ...args], {
    out: (text) => printed(text),
    err: () => undefined,
    errIsTty: false,
    colours: createColours(false),
    stopped: stopping.signal,
  });
  const text = await Promise.race([out, code.then((ended) => `ended with ${ended}`)]);
  const { url }: { url: string } = JSON.parse(text);
  return {
    url,
    stop: async () => {
      stopping.abort();
      return await code;
    },
  };
}
