import { AwsError } from "../aws/aws-error.ts";
import type { PartitionKeys } from "./dynamodb-requirements.ts";
import { type CompiledStatement, compile, evaluate, type Requirement } from "./evaluate.ts";
import type { Outages } from "./outages.ts";
import type { Statement } from "./policy.ts";
import { requirementsOf, type ServiceCall, type ServiceName } from "./requirements.ts";

/** A principal whose calls the policies decide: a function's role, or an operator's. */
export interface Principal {
  /** This name is its access key. */
  readonly name: string;
  /** The ARN of its role. */
  readonly arn: string;
  readonly statements: readonly Statement[];
  /** The function whose code calls, if it is one. */
  readonly functionArn?: string | undefined;
}

/** What a stack's template allows. */
export interface Permissions {
  readonly principals: readonly Principal[];
  /** The statements of the queues' policies. */
  readonly resourceStatements: readonly Statement[];
  readonly partitionKeys: PartitionKeys;
}

/** A call that a principal's statement has allowed. */
interface Use {
  readonly principal: string;
  readonly statement: Statement;
  readonly requirement: Requirement;
}

interface Denial {
  readonly principal: string;
  readonly message: string;
}

/** Decides which calls the emulated services accept. */
export interface Guard {
  /** Until then everything is allowed, because the stack is being created. */
  readonly enforce: (permissions: Permissions) => void;
  /** Adds a principal to those of the template. */
  readonly add: (principal: Principal) => void;
  /**
   * Throws the service's error if the caller is not allowed to do this, or if the service is unavailable to functions.
   * The `Authorization` header names the caller.
   */
  readonly check: (authorization: string | undefined, describe: () => ServiceCall) => void;
  readonly principals: () => readonly Principal[];
  /** The distinct calls that were allowed so far. */
  readonly uses: () => readonly Use[];
  /** The distinct calls that were denied so far. */
  readonly denials: () => readonly Denial[];
}

interface GuardOptions {
  /** Receives a line for each kind of denied call. */
  readonly tell?: (line: string) => void;
  readonly outages?: Pick<Outages, "check">;
}

export function createGuard({ tell = () => {}, outages }: GuardOptions = {}): Guard {
  let stack: Pick<Permissions, "resourceStatements" | "partitionKeys"> | undefined;
  const callers = new Map<string, Caller>();
  const uses = new Map<Statement, Map<string, Use>>();
  const denials = new Map<string, Denial>();
  const add = (principal: Principal) => {
    callers.set(principal.name, compileCaller(principal, stack?.resourceStatements ?? []));
  };
  const note = (use: Use) => {
    const noted = uses.get(use.statement) ?? new Map<string, Use>();
    const { action, resource } = use.requirement;
    uses.set(use.statement, noted.set(`${action} ${resource}`, use));
  };
  const deny = (denial: Denial) => {
    const line = `${denial.principal} was denied a call. ${denial.message}`;
    if (!denials.has(line)) tell(line);
    denials.set(line, denial);
  };
  const decide = (call: ServiceCall, caller: Caller, partitionKeys: PartitionKeys) => {
    for (const requirement of requirementsOf(call, partitionKeys)) {
      for (const use of allow(call.service, caller, requirement)) note(use);
    }
  };
  return {
    enforce: (permissions) => {
      stack = permissions;
      const added = [...callers.values()].map(({ principal }) => principal);
      // The queues' policies also apply to principals that were added earlier.
      for (const principal of [...added, ...permissions.principals]) add(principal);
    },
    add,
    check: (authorization, describe) => {
      const caller = callers.get(accessKeyIn(authorization) ?? "");
      // Any other access key is an administrator's.
      if (stack === undefined || caller === undefined) return;
      const call = describe();
      if (caller.principal.functionArn !== undefined) outages?.check(call);
      try {
        decide(call, caller, stack.partitionKeys);
      } catch (error) {
        deny({ principal: caller.principal.name, message: messageOf(error) });
        throw error;
      }
    },
    principals: () => [...callers.values()].map(({ principal }) => principal),
    uses: () => [...uses.values()].flatMap((noted) => [...noted.values()]),
    denials: () => [...denials.values()],
  };
}

/**
 * Lambda polls a function's queue with the function's role, but not as its code: such a call has no
 * `lambda:SourceFunctionArn`. Returns the poller's access key.
 */
export function addPoller(guard: Guard | undefined, functionName: string): string {
  const role = guard?.principals().find(({ name }) => name === functionName);
  const name = `${functionName}-poller`;
  if (role !== undefined) guard?.add({ ...role, name, functionArn: undefined });
  return name;
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/**
 * "AWS4-HMAC-SHA256 Credential=KEY/20261115/…". The signature itself is not checked, because only local programs can
 * call.
 */
function accessKeyIn(authorization = ""): string | undefined {
  return /\bCredential=([^/]+)\//.exec(authorization)?.[1];
}

interface Caller {
  readonly principal: Principal;
  readonly compiled: readonly CompiledStatement[];
}

function compileCaller(principal: Principal, ofResources: readonly Statement[]): Caller {
  const about = ofResources.filter((statement) => isAbout(statement, principal));
  return { principal, compiled: [...principal.statements, ...about].map(compile) };
}

/**
 * Denying an account denies each of its roles. Allowing the stack's own account grants nothing by itself: the roles'
 * policies decide.
 */
function isAbout({ Effect, Principal: named }: Statement, { arn }: Principal): boolean {
  const account = arn.split(":")[4];
  const isOwnAccount = (name: string) => name === account || name.endsWith(`::${account}:root`);
  return (
    named?.AWS.some(
      (name) => name === "*" || name === arn || (Effect === "Deny" && isOwnAccount(name)),
    ) ?? false
  );
}

/** The statements that allow the call. Throws if it is denied. */
function allow(
  service: ServiceName,
  { principal, compiled }: Caller,
  { action, resource, context }: Requirement,
): readonly Use[] {
  const own = {
    "aws:PrincipalArn": [principal.arn],
    // AWS is called only over TLS. The emulators are local and have none.
    "aws:SecureTransport": ["true"],
    "lambda:SourceFunctionArn":
      principal.functionArn === undefined ? undefined : [principal.functionArn],
  };
  const requirement = { action, resource, context: { ...context, ...own } };
  const decision = evaluate(compiled, requirement);
  if (!decision.isAllowed) throw denied(service, principal, requirement, decision.statements);
  return decision.statements.map((statement) => {
    return { principal: principal.name, statement, requirement };
  });
}

/** SQS returns 403, the others 400. SQS writes actions in lowercase in its messages. */
function denied(
  service: ServiceName,
  { arn }: Principal,
  { action, resource }: Requirement,
  [denial]: readonly Statement[],
): AwsError {
  const shown = service === "sqs" ? action.toLowerCase() : action;
  const kind = denial?.Principal === undefined ? "an identity-based" : "a resource-based";
  const why =
    denial === undefined
      ? `because no identity-based policy allows the ${shown} action`
      : `with an explicit deny in ${kind} policy`;
  const message = `User: ${sessionOf(arn)} is not authorized to perform: ${shown} on resource: ${resource} ${why}`;
  return new AwsError("AccessDeniedException", message, service === "sqs" ? 403 : 400);
}

/** AWS names the session of a role: "arn:aws:sts::ACCOUNT:assumed-role/ROLE/SESSION". */
function sessionOf(roleArn: string): string {
  return `${roleArn.replace(":iam:", ":sts:").replace(":role/", ":assumed-role/")}/local`;
}
