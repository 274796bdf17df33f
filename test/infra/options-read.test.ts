import { expect, test, vi } from "vitest";
import * as z from "zod";
import { configSchema } from "../../infra/config/config-schema.ts";
import { environmentSchema, parseDeployment } from "../../infra/config/environment-config.ts";
import { PaycastStack } from "../../infra/paycast-stack.ts";
import { createApp } from "../../infra/synthesize.ts";
import { temporaryFolder } from "../setup/temporary-folder.ts";
import { everyOption } from "./every-option.ts";
import { stub } from "./stack-template.ts";

interface Shape {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly additionalProperties?: Shape | boolean;
  readonly $defs?: Readonly<Record<string, Shape>>;
}

/** The paths of all options that have a value of their own: `callbacks.maxAgeHours`, `subscribers[].name`. */
function optionsIn(schema: z.ZodType): string[] {
  const root = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Shape;
  const within = (shape: Shape, path: string): string[] => {
    const { $ref, properties, items, additionalProperties: values } = shape;
    if ($ref !== undefined) return within(root.$defs![$ref.replace("#/$defs/", "")]!, path);
    if (properties !== undefined) {
      const prefix = path === "" ? "" : `${path}.`;
      return Object.entries(properties).flatMap(([name, field]) => within(field, prefix + name));
    }
    if (items !== undefined) return within(items, `${path}[]`);
    return typeof values === "object" ? within(values, `${path}.*`) : [path];
  };
  return within(root, "");
}

/** The config's checks read it too, but make nothing of it. */
function isCheck(): boolean {
  return new Error().stack?.includes("readConfig") ?? false;
}

/** The same value. `reads` gets the path of each part that something reads. */
function recording<T>(value: T, reads: Set<string>, path = ""): T {
  if (typeof value !== "object" || value === null) return value;
  return new Proxy(value, {
    get(target, name) {
      const part = Reflect.get(target, name);
      if (typeof name === "symbol" || isCheck()) return part;
      const inner = innerPath(target, path, name);
      reads.add(inner);
      return recording(part, reads, inner);
    },
  });
}

function innerPath(target: object, path: string, name: string): string {
  if (Array.isArray(target)) return `${path}[]`;
  if (path === "secrets" || path === "tags") return `${path}.*`;
  return path === "" ? name : `${path}.${name}`;
}

function record(schema: typeof configSchema | typeof environmentSchema, reads: Set<string>): void {
  const parse = schema.safeParse.bind(schema);
  vi.spyOn(schema, "safeParse").mockImplementation((input: unknown) => {
    const parsed = parse(input);
    return (parsed.success ? { ...parsed, data: recording(parsed.data, reads) } : parsed) as never;
  });
}

/** The paths of the options that a config has. */
function pathsIn(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null) return [path];
  return Object.entries(value).flatMap(([name, part]) =>
    pathsIn(part, innerPath(value, path, name)),
  );
}

test("the config with every option has each of them at least once", () => {
  const used = new Set(pathsIn(everyOption));
  expect(optionsIn(configSchema).filter((option) => !used.has(option))).toEqual([]);
});

test("every option of a config file has an effect on the stack: none is only checked", () => {
  const reads = new Set<string>();
  const folder = temporaryFolder("options");
  const app = createApp({ outdir: folder, builtinCloudFormationValidation: false });
  record(environmentSchema, reads);
  const named = { ...everyOption, name: "shop", tags: { team: "payments" } };
  const { config, environment } = parseDeployment(named);
  // The construct parses its props again.
  record(configSchema, reads);
  new PaycastStack(app, String(environment.name), {
    config,
    environment,
    codeOf: (name) => stub(folder, name),
  });
  app.synth();
  vi.restoreAllMocks();
  const options = [configSchema, environmentSchema].flatMap(optionsIn);
  expect(options.length).toBeGreaterThan(50);
  expect(options.filter((option) => !reads.has(option))).toEqual([]);
});
