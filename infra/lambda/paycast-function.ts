import { Duration, RemovalPolicy } from "aws-cdk-lib";
import { type Alarm, MathExpression } from "aws-cdk-lib/aws-cloudwatch";
import type { PolicyDocument, PolicyStatement, Role } from "aws-cdk-lib/aws-iam";
import {
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
} from "aws-cdk-lib/aws-lambda";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { addAlarm, metricsNamespace } from "../alarms/alarm.ts";
import type { FunctionName } from "../config/function-names.ts";
import { refuseLargeEnvironment } from "./environment-size.ts";
import { narrowPolicy, narrowRole } from "./narrow-role.ts";

/** The folder of a function's bundle. */
export type CodeOf = (name: FunctionName) => string;

interface PaycastFunctionProps {
  name: FunctionName;
  codeOf: CodeOf;
  description: string;
  timeoutMilliseconds: number;
  /** Reserved for this function from the account's concurrency; without it all functions share the rest. */
  reservedConcurrency: number | undefined;
  memoryMegabytes: number;
  environment: Record<string, string>;
  permissions: PolicyStatement[];
}

/** One Lambda with its own role, log group and alarm. */
export class PaycastFunction extends Construct {
  readonly name: FunctionName;
  readonly lambda: LambdaFunction;
  readonly role: Role;
  readonly logGroup: LogGroup;
  /** What the function may do with the stack's resources. */
  readonly permissions: readonly PolicyStatement[];
  /** The function crashed, ran out of time or was throttled. */
  readonly errorsAlarm: Alarm;
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
      // Log lines contain the metrics (embedded metric format); Lambda's JSON format would wrap them.
      loggingFormat: LoggingFormat.TEXT,
    });
    this.errorsAlarm = this.alarmOnErrors(props.name);
  }

  /** The function needs more to do the same, for example the key that its queue is encrypted with. */
  alsoAllow(statements: readonly PolicyStatement[]): void {
    this.policy.addStatements(...statements);
  }

  private alarmOnErrors(name: FunctionName): Alarm {
    return addAlarm(this, "Errors", {
      metric: new MathExpression({
        expression: "FILL(errors, 0) + FILL(throttles, 0)",
        usingMetrics: {
          errors: this.lambda.metricErrors(),
          throttles: this.lambda.metricThrottles(),
        },
        label: `${name}: failed or throttled`,
      }),
      meaning: `${name} crashed, ran out of time or was throttled by Lambda.`,
      action: "Read its log around the time of the alarm.",
      runbook: "function-errors",
    });
  }
}

function reserve(instances: number | undefined): { reservedConcurrentExecutions?: number } {
  return instances === undefined ? {} : { reservedConcurrentExecutions: instances };
}
