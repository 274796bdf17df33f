import * as z from "zod";
import type { FunctionFinder } from "../functions/run-function.ts";
import type { StackContext } from "../template/stack-context.ts";
import { found, ignored, StackError } from "../template/template.ts";
import { corsSchema } from "./http-answer.ts";
import type { HttpApi, HttpRouteTarget } from "./serve-http-api.ts";

const apiSchema = z.strictObject({
  ProtocolType: z.literal("HTTP"),
  CorsConfiguration: corsSchema.optional(),
  Name: ignored,
});

const stageSchema = z.strictObject({
  ApiId: z.string(),
  StageName: z.literal("$default"),
  AutoDeploy: z.literal(true),
  AccessLogSettings: ignored,
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
  for (const stage of context.declared("AWS::ApiGatewayV2::Stage")) {
    context.properties(stageSchema, stage);
  }
  const { CorsConfiguration: cors } = context.properties(apiSchema, api);
  const targets = readIntegrations(context, findFunction);
  const routes = context.declared("AWS::ApiGatewayV2::Route").map((declared) => {
    const { RouteKey, Target } = context.properties(routeSchema, declared);
    const missing = `${declared.logicalId} leads to ${Target}, which the template does not have.`;
    return { routeKey: RouteKey, target: found(targets.get(Target), missing) };
  });
  return { routes, ...(cors !== undefined && { cors }) };
}

function readIntegrations(
  context: StackContext,
  findFunction: FunctionFinder,
): Map<string, HttpRouteTarget> {
  const targets = new Map<string, HttpRouteTarget>();
  for (const declared of context.declared("AWS::ApiGatewayV2::Integration")) {
    const properties = context.properties(integrationSchema, declared);
    const running = findFunction(properties.IntegrationUri, declared.logicalId);
    const target = { running, timeoutMilliseconds: properties.TimeoutInMillis };
    targets.set(`integrations/${declared.identity.ref}`, target);
  }
  return targets;
}
