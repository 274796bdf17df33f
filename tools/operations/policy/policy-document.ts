export interface Statement {
  readonly Sid: string;
  readonly Effect: "Allow";
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | string[]>>>>;
}

export interface PolicyDocument {
  readonly Version: "2012-10-17";
  readonly Statement: readonly Statement[];
}

/** IAM's limit of a managed policy. It does not count white space. */
const mostCharacters = 6_144;

/**
 * As few documents as the order of the statements allows. A statement may continue in the next one with its further
 * resources.
 */
export function splitPolicy(statements: readonly Statement[]): readonly PolicyDocument[] {
  const done: PolicyDocument[] = [];
  let current = documentOf([]);
  for (const statement of statements) {
    for (const resource of statement.Resource) {
      const grown = withResource(current, statement, resource);
      if (fits(grown)) {
        current = grown;
      } else {
        done.push(current);
        current = withResource(documentOf([]), statement, resource);
      }
    }
  }
  return [...done, current];
}

function documentOf(statements: readonly Statement[]): PolicyDocument {
  return { Version: "2012-10-17", Statement: statements };
}

function withResource(
  { Statement: statements }: PolicyDocument,
  statement: Statement,
  resource: string,
): PolicyDocument {
  const last = statements.at(-1);
  if (last?.Sid !== statement.Sid) {
    return documentOf([...statements, { ...statement, Resource: [resource] }]);
  }
  const longer = { ...last, Resource: [...last.Resource, resource] };
  return documentOf([...statements.slice(0, -1), longer]);
}

function fits(document: PolicyDocument): boolean {
  return JSON.stringify(document).length <= mostCharacters;
}
