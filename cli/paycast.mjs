#!/usr/bin/env node
import { register } from "tsx/esm/api";

// The sources are TypeScript and run as they are: the command works right after `npm ci`, with no build.
register();
const { main } = await import("./main.ts");
process.exitCode = await main(process.argv.slice(2));
