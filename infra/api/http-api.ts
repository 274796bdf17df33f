import { Lazy, Stack } from "aws-cdk-lib";
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
import type { LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import type { Config } from "../config/config-schema.ts";
import type { PaycastFunction } from "../lambda/paycast-function.ts";
import { countLines, logAccess } from "./access-log.ts";
import { CustomDomain } from "./custom-domain.ts";
import { countRoutes, type RouteCounts } from "./route-counts.ts";

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
  }

  /** Followed by a stage, a method and a path, it names a route in a policy. */
  get executeArn(): string {
    return Stack.of(this).formatArn({ service: "execute-api", resource: this.api.apiId });
  }

  /**
   * Counts requests of these routes in the access log. For alarms: they see what the functions cannot count, such as
   * crashes, throttling and missing permissions. `name` is the beginning of the metrics' names.
   */
  count<Kind extends keyof RouteCounts>(
    name: string,
    routes: readonly string[],
    ...kinds: Kind[]
  ): Pick<RouteCounts, Kind> {
    const count = countLines.bind(undefined, this.accessLog);
    return countRoutes(count, name, routes, kinds);
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
