import { Duration, RemovalPolicy, Stack } from "aws-cdk-lib";
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import {
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
} from "aws-cdk-lib/aws-lambda";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { PaycastError } from "../../shared/errors/paycast-error.ts";
import { metricsNamespace } from "../alarms/alarm.ts";
import type { FunctionName } from "../config/function-names.ts";
import { asDeployed, bytesOf } from "./as-deployed.ts";

/** The folder of a function's bundle. */
export type CodeOf = (name: FunctionName) => string;

interface PaycastFunctionProps {
  name: FunctionName;
  codeOf: CodeOf;
  description: string;
  timeoutMilliseconds: number;
  /** Reserved for this function from the account's concurrency. Functions without it share the rest. */
  reservedConcurrency: number | undefined;
  memoryMegabytes: number;
  environment: Record<string, string>;
  permissions: PolicyStatement[];
}

/** One Lambda with its own role and log group. */
export class PaycastFunction extends Construct {
  readonly name: FunctionName;
  readonly lambda: LambdaFunction;
  readonly role: Role;
  readonly logGroup: LogGroup;
  /** The function's permissions on the stack's resources. */
  readonly permissions: readonly PolicyStatement[];
  private readonly policy: PolicyDocument;

  constructor(scope: Construct, id: string, props: PaycastFunctionProps) {
    super(scope, id);
    this.name = props.name;
    const environment = { ...props.environment, METRICS_NAMESPACE: metricsNamespace(this) };
    refuseLargeEnvironment(this, props.name, environment);
    this.logGroup = new LogGroup(this, "Logs", {
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.permissions = props.permissions;
    this.policy = narrowPolicy(this.logGroup, props.permissions);
    this.role = narrowRole(this, this.policy);
    this.lambda = new LambdaFunction(this, "Function", {
      description: props.description,
      code: Code.fromAsset(props.codeOf(props.name)),
      handler: "index.handler",
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: props.memoryMegabytes,
      timeout: Duration.millis(props.timeoutMilliseconds),
      ...reserve(props.reservedConcurrency),
      environment,
      role: this.role.withoutPolicyUpdates(),
      logGroup: this.logGroup,
      // Log lines contain the metrics (embedded metric format). Lambda's JSON format would wrap them.
      loggingFormat: LoggingFormat.TEXT,
    });
  }

  /** Adds permissions that existing ones depend on, for example for the key that encrypts a queue. */
  alsoAllow(statements: readonly PolicyStatement[]): void {
    this.policy.addStatements(...statements);
  }
}

export function functionsIn(scope: Construct): PaycastFunction[] {
  return scope.node.findAll().filter((construct) => construct instanceof PaycastFunction);
}

function reserve(instances: number | undefined): { reservedConcurrentExecutions?: number } {
  return instances === undefined ? {} : { reservedConcurrentExecutions: instances };
}

export function allow(actions: string[], resources: string[]): PolicyStatement {
  return new PolicyStatement({ actions, resources });
}

/** All permissions of a function in one place: no managed policy, no grant by a construct, no wildcard. */
function narrowPolicy(logs: LogGroup, permissions: readonly PolicyStatement[]) {
  const statements = [
    allow(["logs:CreateLogStream", "logs:PutLogEvents"], [logs.logGroupArn]),
    ...permissions,
  ];
  return new PolicyDocument({ statements });
}

function narrowRole(scope: Construct, permissions: PolicyDocument): Role {
  return new Role(scope, "Role", {
    assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
    inlinePolicies: { permissions },
  });
}

/** Lambda's limit for all variables of a function together, written as one JSON object. */
const maximumBytes = 4096;

/** The config field that makes each variable longer. */
const fieldOf = new Map([
  ["CALLBACK_KEYS", "merchants"],
  ["REQUEST_KEYS", "merchants"],
  ["SUBSCRIBERS", "subscribers"],
  ["ALLOWED_SOURCES", "callbacks.sourceAddresses"],
  ["GATEWAY", "gateway"],
  ["REDIRECTS", "storefront.redirectOrigins"],
]);

/** Lambda would reject such a function late in a deployment. Throws `config-invalid`, naming the fields. */
function refuseLargeEnvironment(
  scope: Construct,
  functionName: string,
  environment: Readonly<Record<string, string>>,
): void {
  const variables = Object.entries(environment).map(
    ([name, value]) => [name, asDeployed(Stack.of(scope).resolve(value))] as const,
  );
  const total = bytesOf(Object.fromEntries(variables));
  if (total <= maximumBytes) return;
  const fields = variables
    .map(([name, text]) => ({ field: fieldOf.get(name), bytes: bytesOf(text) }))
    .sort((left, right) => right.bytes - left.bytes)
    .flatMap(({ field, bytes }) => (field === undefined ? [] : [`${field} (${bytes} bytes)`]));
  throw new PaycastError(
    "config-invalid",
    `${fields.join(", ")} must be shorter: the environment of ${functionName} would take ` +
      `${total} bytes, and Lambda allows ${maximumBytes}`,
  );
}
