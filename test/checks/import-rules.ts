/** Rooms of shared/ that import no other room. With the files at its top they are its ground. */
export const groundRooms = ["errors", "http", "json", "text"] as const;

/**
 * Who may import whom. `npm run check` holds every import against this table, and the READMEs that repeat it.
 * Other tests may import everything, and nothing may import a test.
 */
export const folderRules: Readonly<Record<string, FolderRule>> = {
  shared: {
    imports: [],
    why: "The domain imports nothing from outside shared/. What it needs from there is an argument of the flow.",
  },
  functions: {
    imports: ["shared"],
    why: "functions/ is wiring. Put what it needs beside its flow in shared/.",
  },
  infra: {
    imports: ["shared"],
    why: "infra/ declares the stack. The functions reach it as bundles.",
  },
  "tools/operations": {
    imports: ["shared"],
    why: "operations/ is what an operator can do, without a face.",
  },
  "tools/console": {
    imports: ["shared", "tools/operations"],
    why: "console/ is a face of operations/.",
  },
  "tools/cli": {
    imports: ["shared", "tools/console", "tools/operations"],
    why: "cli/ is a face of operations/, and starts console/.",
  },
  "tools/simulator": {
    imports: [],
    why: "The simulator shares no code with the product: the two sides check each other. Write it anew here.",
  },
  "tools/local": {
    imports: ["infra", "shared", "tools/console", "tools/operations", "tools/simulator"],
    why: "local/ runs the functions as bundles, from the template of infra/.",
  },
  "tools/contract": {
    imports: ["infra", "shared", "tools/console"],
    why: "contract/ makes documents and packages from infra/ and shared/, and builds the page of console/.",
  },
  examples: {
    imports: [],
    why: "An example does what another team can do: it uses HTTP, the queues and packages by name.",
  },
  "test/proof/chaos/check": {
    imports: ["test"],
    why: "The checker uses none of the product's code: it must be able to disagree.",
  },
};

/** Rooms of tools/operations that reach a stack. Operations import the ports in their place. */
export const adapterRooms = ["aws", "deployed-stack", "local-stack"] as const;

/** Which rooms of a folder each room may import. "." are the files at the top of the folder. */
export const roomRules: Readonly<Record<string, Rooms>> = {
  shared: {
    ...onTheGround({
      money: [],
      time: [],
      table: [],
      telemetry: [],
      envelope: [],
      facts: ["envelope", "money", "time"],
      keys: ["envelope", "telemetry"],
      attention: ["facts", "table", "time"],
      orders: ["attention", "facts", "money", "table", "time"],
      gateway: ["envelope", "facts", "keys", "telemetry"],
      inbox: ["envelope", "facts"],
      asking: ["facts", "gateway", "inbox", "orders"],
      events: ["facts", "orders", "time"],
      delivery: ["facts"],
      records: ["attention", "delivery", "events", "facts", "inbox", "orders", "table", "time"],
      receiving: ["envelope", "facts", "inbox", "keys", "telemetry"],
      processing: [
        "attention",
        "delivery",
        "envelope",
        "facts",
        "inbox",
        "keys",
        "records",
        "telemetry",
        "time",
      ],
      storefront: [
        "asking",
        "envelope",
        "facts",
        "gateway",
        "inbox",
        "money",
        "orders",
        "telemetry",
        "time",
      ],
      reconciling: ["asking", "facts", "gateway", "orders", "table", "telemetry"],
      watching: ["attention", "table", "telemetry", "time"],
    }),
    /** It is shipped to other teams as a package without dependencies. */
    consumer: [],
  },
  infra: inOrder(
    "config",
    "alarms",
    "lambda",
    "encryption",
    "storage",
    "api",
    "flows",
    "dashboard",
    ".",
  ),
  "tools/simulator": inOrder(
    "wire",
    "merchants",
    "orders",
    "http",
    "faults",
    "callbacks",
    "service",
    "keeping",
    "gateway",
    "control",
    "checkout",
    ".",
  ),
  "tools/local/stack": inOrder("template", "stores", "functions", "http", "triggers", "."),
};

export interface FolderRule {
  /** The other folders that its files may import. */
  readonly imports: readonly string[];
  readonly why: string;
}

export type Rooms = Readonly<Record<string, readonly string[]>>;

/** Each room may import those before it. */
function inOrder(...rooms: readonly string[]): Rooms {
  return Object.fromEntries(rooms.map((room, index) => [room, rooms.slice(0, index)]));
}

/** Each room may also import the ground. */
function onTheGround(rooms: Rooms): Rooms {
  const all = Object.entries(rooms).map(
    ([room, imports]) => [room, [...imports, ...groundRooms, "."]] as const,
  );
  return {
    ...Object.fromEntries(groundRooms.map((room) => [room, []])),
    ".": groundRooms,
    ...Object.fromEntries(all),
  };
}
