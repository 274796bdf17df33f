import type { ChildProcess } from "node:child_process";

/** What a process prints on both streams so far, and its exit code once it has ended and all of that was read. */
export function watchOutput(child: ChildProcess) {
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  // Not "exit": what was printed last may come after that.
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { output: () => output, ended };
}
