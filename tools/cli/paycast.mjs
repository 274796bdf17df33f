#!/usr/bin/env node
import { register } from "tsx/esm/api";

// The TypeScript sources run directly, so the command works after `npm ci` without a build.
register();
const { main } = await import("./main.ts");
process.exitCode = await main(process.argv.slice(2));
