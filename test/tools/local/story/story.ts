import { createLog, type LogFields, type Metrics } from "../../../../shared/telemetry/log-line.ts";
import { createColours } from "../../../../shared/text/terminal-text.ts";
import { createStory } from "../../../../tools/local/story/create-story.ts";

/** A story whose lines are kept. Functions log with the log of the product. */
export function hearStory(options: { verbose?: boolean; colour?: boolean } = {}) {
  const lines: string[] = [];
  const story = createStory({
    print: (line) => lines.push(line),
    colours: createColours(options.colour ?? false),
    verbose: options.verbose ?? false,
  });
  const output = (functionName: string, line: string) =>
    story.stackEvent({ kind: "output", functionName, line });
  const log = (service: string, fields: LogFields, metrics: Metrics = {}) => {
    const write = (line: string) => output(service, line);
    createLog({ service, namespace: "Paycast", now: () => 7, write })(fields, metrics);
  };
  return { story, lines, output, log };
}

/** What is reported about one log line. */
export function storyOf(service: string, fields: LogFields, metrics: Metrics = {}): string[] {
  const { lines, log } = hearStory();
  log(service, fields, metrics);
  return lines;
}
