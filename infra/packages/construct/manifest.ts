import packageJson from "../../../package.json" with { type: "json" };

/** The package has no dependencies: what it needs is bundled, except for the CDK, of which an app has exactly one. */
export function makeManifest(): object {
  const { name, version, license, engines } = packageJson;
  return {
    name,
    version,
    description:
      "CDK construct that receives payment callbacks and sends typed events to SQS queues, and its operators' command",
    keywords: ["aws-cdk", "payments", "webhooks", "sqs", "cloudevents"],
    license,
    type: "module",
    engines,
    bin: { paycast: "cli/paycast.js" },
    // For tools that do not read "exports".
    main: "./construct/index.cjs",
    types: "./construct/index.d.cts",
    exports: {
      ".": {
        import: { types: "./construct/index.d.ts", default: "./construct/index.js" },
        require: { types: "./construct/index.d.cts", default: "./construct/index.cjs" },
      },
      "./package.json": "./package.json",
    },
    // CI synthesizes the example with the oldest of each.
    peerDependencies: { "aws-cdk-lib": "^2.252.0", constructs: "^10.5.0" },
  };
}
