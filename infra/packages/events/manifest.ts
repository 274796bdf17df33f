/** The package.json of `paycast-events`. */
export function manifest(version: string): object {
  return {
    name: "paycast-events",
    version,
    description: "Typed events of Paycast: parser, types, JSON Schemas and events for tests",
    license: "MIT",
    keywords: ["paycast", "payments", "events", "cloudevents", "sqs"],
    type: "module",
    sideEffects: false,
    engines: { node: ">=20" },
    main: "./index.cjs",
    types: "./index.d.cts",
    exports: {
      ".": entry("index"),
      "./testing": entry("testing"),
      "./schemas/*.json": "./schemas/*.json",
      "./package.json": "./package.json",
    },
  };
}

function entry(name: string): object {
  return {
    import: { types: `./${name}.d.ts`, default: `./${name}.js` },
    require: { types: `./${name}.d.cts`, default: `./${name}.cjs` },
  };
}
