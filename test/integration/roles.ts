import { parseConfig } from "../../infra/config/config-schema.ts";
import { localPlace } from "../../tools/local/aws/local-account.ts";
import {
  createGuard,
  type Guard,
  type Permissions,
  type Principal,
} from "../../tools/local/permissions/guard.ts";
import type { Statement } from "../../tools/local/permissions/policy.ts";
import { readPermissions } from "../../tools/local/permissions/read-permissions.ts";
import { readFunction } from "../../tools/local/stack/functions/read-function.ts";
import { createStackContext } from "../../tools/local/stack/template/stack-context.ts";
import { readTemplate } from "../../tools/local/stack/template/template.ts";
import { synthesizeTemplate } from "../../tools/local/synthesize-template.ts";
import { everyOption } from "../infra/every-option.ts";
import { keptStack } from "../setup/kept-stack.ts";

type Environment = Readonly<Record<string, string>>;

interface DeclaredFunction {
  readonly principal: Principal;
  readonly environment: Environment;
}

interface Declared extends Permissions {
  readonly functions: ReadonlyMap<string, DeclaredFunction>;
}

let declared: Promise<Declared> | undefined;

/**
 * Holds a function to its role. Its environment says which resource of the test stands for which one of the template:
 * the function gets no other name from anywhere.
 */
export async function guardOf(name: string, environment: Environment): Promise<Guard> {
  declared ??= readDeclared();
  const { functions, resourceStatements, partitionKeys } = await declared;
  const found = functions.get(name);
  if (found === undefined) throw new Error(`The template has no function ${name}.`);
  const standIns = standInsOf(found.environment, environment);
  const translate = (statements: readonly Statement[]) =>
    statements.map((statement) => ({
      ...statement,
      Resource: statement.Resource.flatMap((resource) => translated(resource, standIns)),
    }));
  const guard = createGuard();
  guard.enforce({
    principals: [{ ...found.principal, name, statements: translate(found.principal.statements) }],
    resourceStatements: translate(resourceStatements),
    partitionKeys: new Map(
      [...partitionKeys].flatMap(([place, key]) =>
        translated(tableArn(place), standIns).map((arn) => [arn.split(":table/")[1]!, key]),
      ),
    ),
  });
  return guard;
}

/** Kept for later runs, until a source of the template changes. */
const folder = keptStack("every-option");

async function readDeclared(): Promise<Declared> {
  const template = await synthesizeTemplate(parseConfig(everyOption), folder);
  const context = createStackContext({
    template: readTemplate(template),
    stackName: "Paycast",
    sqsEndpoint: "http://sqs",
    apiEndpoint: "http://api",
  });
  const permissions = readPermissions(context);
  const functions = context.declared("AWS::Lambda::Function").map((resource) => {
    const { name, label, environment } = readFunction(context, resource);
    const principal = permissions.principals.find((candidate) => candidate.name === name)!;
    return [label, { principal, environment }] as const;
  });
  return { ...permissions, functions: new Map(functions) };
}

const { partition, region, accountId } = localPlace;
const arnOf = (service: string, resource: string) =>
  `arn:${partition}:${service}:${region}:${accountId}:${resource}`;
const tableArn = (name: string) => arnOf("dynamodb", `table/${name}`);
const queueArn = (url: string) => arnOf("sqs", url.split("/").at(-1)!);
const secretArn = (id: string) =>
  id.startsWith("arn:") ? id : arnOf("secretsmanager", `secret:${id}`);

/** The resources that a variable names. */
function arnsIn(variable: string, value: string | undefined): string[] {
  if (value === undefined) return [];
  if (variable.endsWith("_TABLE")) return [tableArn(value)];
  if (/_(QUEUE|DEAD_LETTERS)_URL$/.test(variable)) return [queueArn(value)];
  if (variable === "STAMP_KEY") return [secretArn(value)];
  if (variable.endsWith("_KEYS")) return Object.values<string>(JSON.parse(value)).map(secretArn);
  if (variable !== "SUBSCRIBERS") return [];
  return JSON.parse(value).map(({ queue }: { queue: string }) => queueArn(queue));
}

type StandIns = ReadonlyMap<string, readonly string[]>;

function standInsOf(template: Environment, environment: Environment): StandIns {
  return new Map(
    Object.entries(template).flatMap(([variable, value]) =>
      arnsIn(variable, value).map((arn) => [arn, arnsIn(variable, environment[variable])] as const),
    ),
  );
}

/** A resource that the test has nothing for is left out. */
function translated(resource: string, standIns: StandIns): string[] {
  const [table = "", index] = (resource.includes(":") ? resource : secretArn(resource)).split(
    "/index/",
  );
  const found = standIns.get(table) ?? [];
  return found.map((arn) => (index === undefined ? arn : `${arn}/index/${index}`));
}
