import { consoleRoutes } from "../../../tools/console/routes/console-routes.ts";
import { createJobs } from "../../../tools/console/server/jobs.ts";
import { findRoute } from "../../../tools/console/server/route.ts";
import { writeDescription } from "../../../tools/local/describe-stack.ts";
import { findLocalStack } from "../../../tools/operations/local-stack/find-local-stack.ts";
import { startSimulator } from "../../../tools/simulator/start-simulator.ts";
import { prepareStack, runStack, withoutSchedules } from "../stack.ts";

export const merchantId = "GrowthShop";

export type World = Awaited<ReturnType<typeof startWorld>>;

/**
 * The stack as it is deployed, without its schedules: they would call AWS while something else is counted. Functions
 * and operators reach AWS through a proxy that counts.
 */
export async function startWorld(subscriberCount: number) {
  const names = Array.from({ length: subscriberCount }, (_item, index) => `team-${index}`);
  const subscribers = names.map((name) => ({ name, types: ["*"] }));
  const prepared = await prepareStack({ merchantIds: [merchantId], subscribers });
  const { settings, merchants, aws, proxy } = prepared;
  const { directory, functionEndpoints } = settings;
  proxy.meter();
  let processed = 0;
  const simulator = await startSimulator({ merchants, clockSpeed: 0, callbackTimeoutSeconds: 60 });
  const template = withoutSchedules(settings.template);
  const address = { port: 0, simulator: simulator.url };
  const { stack, description } = await runStack({ ...settings, template, ...address }, (event) => {
    if (event.kind === "batch") processed += event.messages;
    if (event.kind === "failure") throw new Error(`${event.functionName}: ${event.reason}`);
  });
  writeDescription(directory, { ...description, aws: functionEndpoints });
  const target = await findLocalStack(directory);
  return {
    directory,
    aws,
    simulator,
    target,
    api: stack.api,
    calls: proxy.calls,
    /** Does something at the service, and waits until one more message of the inbox was processed. */
    processing: async (work: () => unknown) => {
      const wanted = processed + 1;
      work();
      await simulator.settled();
      while (processed < wanted) await new Promise((done) => setTimeout(done, 20));
    },
    /** One call of a function, as its schedule would make it. */
    invoke: async (label: string) => {
      const found = stack.functions.find(({ definition }) => definition.label === label);
      return await found?.invoke({});
    },
    /** The response of a console that has just started, so nothing is cached. */
    askConsole: async (path: string): Promise<unknown> => {
      const jobs = createJobs(() => {});
      const routes = consoleRoutes({
        target: async () => target,
        isLive: false,
        lab: undefined,
        jobs,
        changed: () => {},
      });
      const { pathname, searchParams: query } = new URL(path, "http://console");
      const { route, parts } = findRoute(routes, "GET", pathname) ?? {};
      if (route === undefined || parts === undefined) throw new Error(`no route ${pathname}`);
      const signal = new AbortController().signal;
      return await route.handle({ parts, query, body: undefined, signal });
    },
    stop: async () => {
      target.close();
      for (const part of [stack, simulator, prepared]) await part.stop();
    },
  };
}
