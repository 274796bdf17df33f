import * as z from "zod";
import type { FunctionFinder, RunningFunction } from "../functions/run-function.ts";
import type { StackContext } from "../template/stack-context.ts";
import { found, ignored, StackError } from "../template/template.ts";
import { type AccessLog, accessLogSchema, readAccessLog } from "./access-log.ts";
import { type Cors, corsSchema } from "./http-answer.ts";

interface Integration {
  readonly running: RunningFunction;
  readonly timeoutMilliseconds: number;
}

interface Route extends Integration {
  /** In API Gateway's notation: "POST /orders", "ANY /{proxy+}" or "$default". */
  readonly routeKey: string;
}

export interface HttpApi {
  readonly routes: readonly Route[];
  readonly cors?: Cors;
  readonly accessLog?: AccessLog | undefined;
}

const apiSchema = z.strictObject({
  ProtocolType: z.literal("HTTP"),
  CorsConfiguration: corsSchema.optional(),
  Name: ignored,
});

const stageSchema = z.strictObject({
  ApiId: z.string(),
  StageName: z.literal("$default"),
  AutoDeploy: z.literal(true),
  AccessLogSettings: accessLogSchema.optional(),
  DefaultRouteSettings: ignored,
  RouteSettings: ignored,
});

const integrationSchema = z.strictObject({
  ApiId: z.string(),
  IntegrationType: z.literal("AWS_PROXY"),
  IntegrationUri: z.string(),
  PayloadFormatVersion: z.literal("2.0"),
  TimeoutInMillis: z.int().min(50).max(30_000).default(30_000),
});

const routeSchema = z.strictObject({
  ApiId: z.string(),
  RouteKey: z.string(),
  Target: z.string(),
  AuthorizationType: ignored,
  AuthorizerId: ignored,
});

/** The routes of the template's HTTP API, each with its function. */
export function readHttpApi(context: StackContext, findFunction: FunctionFinder): HttpApi {
  const [api, second] = context.declared("AWS::ApiGatewayV2::Api");
  if (api === undefined) return { routes: [] };
  if (second !== undefined) {
    const message = `The local stack can serve only one HTTP API. ${second.logicalId} would be a second one.`;
    throw new StackError("local-resource-unknown", message);
  }
  const [stage] = context
    .declared("AWS::ApiGatewayV2::Stage")
    .map((declared) => context.properties(stageSchema, declared));
  const settings = stage?.AccessLogSettings;
  const { CorsConfiguration: cors } = context.properties(apiSchema, api);
  const targets = readIntegrations(context, findFunction);
  const routes = context.declared("AWS::ApiGatewayV2::Route").map((declared) => {
    const { RouteKey, Target } = context.properties(routeSchema, declared);
    const missing = `${declared.logicalId} leads to ${Target}, which the template does not have.`;
    return { routeKey: RouteKey, ...found(targets.get(Target), missing) };
  });
  const accessLog = settings && readAccessLog(settings);
  return { routes, accessLog, ...(cors !== undefined && { cors }) };
}

function readIntegrations(
  context: StackContext,
  findFunction: FunctionFinder,
): Map<string, Integration> {
  const targets = new Map<string, Integration>();
  for (const declared of context.declared("AWS::ApiGatewayV2::Integration")) {
    const properties = context.properties(integrationSchema, declared);
    const running = findFunction(properties.IntegrationUri, declared.logicalId);
    const target = { running, timeoutMilliseconds: properties.TimeoutInMillis };
    targets.set(`integrations/${declared.identity.ref}`, target);
  }
  return targets;
}

/**
 * Finds the route as an HTTP API does. A full path wins over a greedy one, a fixed segment over a variable one, a named
 * method over ANY. `$default` gets all other requests.
 */
export function matchRoute<One extends Pick<Route, "routeKey">>(
  routes: readonly One[],
  method: string,
  path: string,
) {
  const candidates = routes.flatMap((route) => {
    const pathParameters = matchPath(route.routeKey, method, path);
    return pathParameters === undefined ? [] : [{ route, pathParameters }];
  });
  return candidates.sort((left, right) =>
    specificity(right.route.routeKey).localeCompare(specificity(left.route.routeKey)),
  )[0];
}

function matchPath(
  routeKey: string,
  method: string,
  path: string,
): Record<string, string> | undefined {
  if (routeKey === "$default") return {};
  const [routeMethod = "", pattern = ""] = routeKey.split(" ");
  if (routeMethod !== "ANY" && routeMethod !== method) return undefined;
  // The flag "s" lets a greedy variable match line breaks, because an order number may contain them.
  const found = new RegExp(`^${pattern.split("/").map(segmentPattern).join("/")}$`, "s").exec(path);
  if (found === null) return undefined;
  return { ...found.groups };
}

function segmentPattern(segment: string): string {
  const variable = /^\{(\w+)(\+?)\}$/.exec(segment);
  if (variable !== null) return `(?<${variable[1]}>${variable[2] === "+" ? ".+" : "[^/]+"})`;
  return segment.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** A text to sort by, so that the most specific route is last: the kind of each segment, then the method. */
function specificity(routeKey: string): string {
  if (routeKey === "$default") return "";
  const [method, pattern = ""] = routeKey.split(" ");
  const segments = pattern.split("/").map((segment) => {
    if (segment.endsWith("+}")) return "1";
    return segment.startsWith("{") ? "2" : "3";
  });
  return `${segments.join("")}${method === "ANY" ? "0" : "1"}`;
}
