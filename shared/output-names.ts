/** The stack's outputs for a subscriber. The stack writes them and the command reads them. */
export function subscriberOutputs(name: string) {
  const prefix = `Subscriber${pascalCase(name)}`;
  return {
    queueUrl: `${prefix}QueueUrl`,
    queueArn: `${prefix}QueueArn`,
    deadLettersUrl: `${prefix}DeadLettersUrl`,
    deadLettersArn: `${prefix}DeadLettersArn`,
  };
}

/** The output that names the Lambda function of a label such as "process-callback". */
export function functionOutput(label: string): string {
  return `${pascalCase(label)}Function`;
}

/** The output that names the log group of a function. */
export function logGroupOutput(label: string): string {
  return `${pascalCase(label)}LogGroup`;
}

/** The output that names the role of a function. */
export function roleOutput(label: string): string {
  return `${pascalCase(label)}RoleArn`;
}

/** Output names may have only letters and digits. */
function pascalCase(name: string): string {
  return name
    .split("-")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}
