import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

const database = new URL("../../../node_modules/aws-cdk/db.json.gz", import.meta.url);

interface Database {
  readonly schema: {
    readonly resource: {
      readonly entities: readonly { cloudFormationType: string; primaryIdentifier?: string[] }[];
    };
  };
}

let known: ReadonlyMap<string, readonly string[]> | undefined;

/** The properties that identify a resource of a type, from AWS's own schemas, which the CDK command brings along. */
export function identifierOf(type: string): readonly string[] {
  known ??= read();
  return known.get(type) ?? [];
}

function read(): ReadonlyMap<string, readonly string[]> {
  const { schema }: Database = JSON.parse(gunzipSync(readFileSync(database)).toString());
  return new Map(
    schema.resource.entities.map(({ cloudFormationType, primaryIdentifier = [] }) => [
      cloudFormationType,
      primaryIdentifier,
    ]),
  );
}
