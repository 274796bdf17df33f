import { Lazy, RemovalPolicy, Stack } from "aws-cdk-lib";
import {
  CfnIntegration,
  CfnStage,
  type CorsPreflightOptions,
  HttpApi,
  type HttpMethod,
  HttpRoute,
  HttpRouteKey,
  type IHttpRouteAuthorizer,
} from "aws-cdk-lib/aws-apigatewayv2";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import { CfnPermission, type IFunction } from "aws-cdk-lib/aws-lambda";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { addAlarm } from "../alarms/alarm.ts";
import { shareMetric } from "../alarms/expressions.ts";
import type { Config } from "../config/config-schema.ts";
import type { PaycastFunction } from "../lambda/paycast-function.ts";
import { CustomDomain } from "./custom-domain.ts";

interface DefaultRouteProps {
  target: PaycastFunction;
  authorizer: IHttpRouteAuthorizer;
  requestsPerSecond: number;
}
type RouteProps = DefaultRouteProps & {
  method: HttpMethod;
  path: string;
  /** Called instead of the target. It chooses the version. */
  alias?: IFunction | undefined;
};

interface HttpApiProps {
  domain: Config["domain"];
  cors: CorsPreflightOptions | undefined;
}

/**
 * The HTTPS address of the stack, with a limit for each route. The flows add the routes: callback-intake.ts adds `POST
 * /callbacks`, storefront.ts all others.
 */
export class PaycastApi extends Construct {
  /** Without a trailing slash. Does not depend on the routes, so that their functions can use it. */
  readonly url: string;
  readonly customDomain: CustomDomain | undefined;
  readonly accessLog: LogGroup;
  readonly api: HttpApi;
  private readonly stage: CfnStage;
  private readonly routeSettings: Record<string, unknown> = {};

  constructor(scope: Construct, id: string, { domain, cors }: HttpApiProps) {
    super(scope, id);
    this.api = new HttpApi(this, "Api", {
      apiName: Stack.of(this).stackName,
      createDefaultStage: false,
      ...(cors && { corsPreflight: cors }),
    });
    this.stage = new CfnStage(this, "Stage", {
      apiId: this.api.apiId,
      stageName: "$default",
      autoDeploy: true,
      // For a route without its own limit. Low, so that a missing limit is noticed.
      defaultRouteSettings: { throttlingRateLimit: 20, throttlingBurstLimit: 40 },
      routeSettings: Lazy.any({ produce: () => this.routeSettings }),
    });
    this.accessLog = logAccess(this, this.stage);
    // The API's own address keeps working with a custom domain: callbacks of older orders still arrive there (§6).
    this.customDomain = domain && new CustomDomain(this, "Domain", domain, this.stage);
    this.url = domain ? `https://${domain.name}` : this.api.apiEndpoint;
    alarmOnServerErrors(this, this.api);
  }

  /** Followed by a stage, a method and a path, it names a route in a policy. */
  get executeArn(): string {
    return Stack.of(this).formatArn({ service: "execute-api", resource: this.api.apiId });
  }

  addRoute({ method, path, target, authorizer, requestsPerSecond, alias }: RouteProps): void {
    const integration = integrationOf(target, alias);
    const routes = this.api.addRoutes({ path, methods: [method], integration, authorizer });
    this.limit(`${method} ${path}`, requestsPerSecond, routes);
  }

  /** The target for requests that match no other route. */
  addDefaultRoute({ target, authorizer, requestsPerSecond }: DefaultRouteProps): void {
    const route = new HttpRoute(this.api, "AnyOther", {
      httpApi: this.api,
      routeKey: HttpRouteKey.DEFAULT,
      integration: integrationOf(target),
      authorizer,
    });
    this.limit(HttpRouteKey.DEFAULT.key, requestsPerSecond, [route]);
  }

  private limit(routeKey: string, requestsPerSecond: number, routes: HttpRoute[]): void {
    this.routeSettings[routeKey] = {
      ThrottlingRateLimit: requestsPerSecond,
      ThrottlingBurstLimit: 2 * requestsPerSecond,
    };
    // API Gateway rejects settings for a route that does not exist yet.
    this.stage.node.addDependency(...routes);
    for (const route of routes) allowBeforeCalling(route);
  }
}

/** When a route gets another target, callers would get 500 until API Gateway is allowed to call it. */
function allowBeforeCalling(route: HttpRoute): void {
  const inside = route.node.findAll();
  const permissions = inside.filter((construct) => construct instanceof CfnPermission);
  for (const construct of inside) {
    if (construct instanceof CfnIntegration) construct.node.addDependency(...permissions);
  }
}

function integrationOf(target: PaycastFunction, alias?: IFunction): HttpLambdaIntegration {
  return new HttpLambdaIntegration(`${target.node.id}Integration`, alias ?? target.lambda);
}

/**
 * The fields of the access log. API Gateway creates all of them: no address, path, query, header or body, because these
 * come from the caller. The message of a failed integration is not included either, because it can quote the function's
 * error. `functionRequestId` leads to the function's own lines.
 */
const fields = {
  requestId: "$context.requestId",
  time: "$context.requestTimeEpoch",
  route: "$context.routeKey",
  status: "$context.status",
  latency: "$context.responseLatency",
  error: "$context.error.responseType",
  lambdaStatus: "$context.integration.integrationStatus",
  functionStatus: "$context.integration.status",
  functionLatency: "$context.integration.latency",
  functionRequestId: "$context.integration.requestId",
};

/** One line for each request, including those that reach no function: throttled, not signed, or failed on the way. */
function logAccess(scope: Construct, stage: CfnStage): LogGroup {
  const logGroup = new LogGroup(scope, "AccessLog", {
    // AWS writes here under an account policy. It is limited to 5120 characters and lists each log group, except those
    // with this prefix.
    logGroupName: `/aws/vendedlogs/${Stack.of(scope).stackName}-access`,
    retention: RetentionDays.THREE_MONTHS,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  stage.accessLogSettings = {
    destinationArn: logGroup.logGroupArn,
    format: JSON.stringify(fields),
  };
  return logGroup;
}

/**
 * API Gateway's metrics include requests that never reached a function. There is no alarm on 4xx, because strangers
 * cause them.
 */
function alarmOnServerErrors(scope: Construct, api: HttpApi): void {
  const options = { statistic: "Sum" };
  const metrics = {
    failed: api.metricServerError(options),
    requests: api.metricCount(options),
  };
  addAlarm(scope, "ServerErrorsAlarm", {
    metric: shareMetric("server-errors", {
      part: "failed",
      whole: "requests",
      metrics,
      label: "requests that returned 5xx",
    }),
    meaning:
      "A quarter or more of all requests returned 500 or above, from a function or from API Gateway, which could not call it.",
    command: "check",
    runbook: "server-errors",
  });
}
