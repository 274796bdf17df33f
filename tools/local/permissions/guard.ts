import { AwsError } from "../aws/aws-error.ts";
import type { PartitionKeys } from "./dynamodb-requirements.ts";
import { type CompiledStatement, compile, evaluate, type Requirement } from "./evaluate.ts";
import type { Statement } from "./policy.ts";
import { requirementsOf, type ServiceCall, type ServiceName } from "./requirements.ts";

/** Whose calls the policies decide: a function's role, or an operator's. */
export interface Principal {
  /** Its access key is this name. */
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

/** What a statement of a principal has allowed. */
interface Use {
  readonly principal: string;
  readonly statement: Statement;
  readonly requirement: Requirement;
}

interface Denial {
  readonly principal: string;
  readonly message: string;
}

/** Decides which calls the emulated services carry out. */
export interface Guard {
  /** Until then everybody may do everything: the stack is being made. */
  readonly enforce: (permissions: Permissions) => void;
  /** One more, beside those of the template. */
  readonly add: (principal: Principal) => void;
  /** Throws what the service answers to a caller who may not do this. The header `Authorization` names the caller. */
  readonly check: (authorization: string | undefined, describe: () => ServiceCall) => void;
  readonly principals: () => readonly Principal[];
  /** What was allowed so far, each once. */
  readonly uses: () => readonly Use[];
  /** What was denied so far, each once. */
  readonly denials: () => readonly Denial[];
}

/** `tell` gets a line for each kind of call that is denied. */
export function createGuard(tell: (line: string) => void = () => {}): Guard {
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
      // The queues' policies are about those who were added before, too.
      for (const principal of [...added, ...permissions.principals]) add(principal);
    },
    add,
    check: (authorization, describe) => {
      const caller = callers.get(accessKeyIn(authorization) ?? "");
      // Any other access key is an administrator's.
      if (stack === undefined || caller === undefined) return;
      try {
        decide(describe(), caller, stack.partitionKeys);
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

/** "AWS4-HMAC-SHA256 Credential=KEY/20261115/…". The signature itself is not checked: nobody else is on this machine. */
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
 * Denying an account denies each of its roles. Allowing the own account allows nothing by itself: within it, the roles'
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

/** The uses of the statements that allow it. Throws if it is denied. */
function allow(
  service: ServiceName,
  { principal, compiled }: Caller,
  { action, resource, context }: Requirement,
): readonly Use[] {
  const own = {
    "aws:PrincipalArn": [principal.arn],
    // AWS is called over TLS only. The emulators are on this machine, and have none.
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

/** SQS answers 403, the others 400. In its messages SQS writes actions in small letters. */
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
