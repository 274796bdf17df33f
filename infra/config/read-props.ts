import { Stack, Token } from "aws-cdk-lib";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import { PaycastError } from "../../shared/errors/paycast-error.ts";
import { type Config, readConfig } from "./config-schema.ts";
import type { PaycastProps } from "./paycast-props.ts";

/** Throws `config-invalid` with one line for each wrong prop. */
export function readProps(scope: Construct, props: PaycastProps): Config {
  const { encryptionKey, alarmTopic, morningAlarmTopic, ...input } = props;
  const { account, region } = Stack.of(scope);
  const read = readConfig(input, { account: known(account), region: known(region) });
  const faults = [
    ...constructFaults(props),
    ...constructsElsewhere(props, region),
    ...(read.faults ?? []),
  ];
  if (read.faults || faults.length > 0) {
    const lines = faults.map((fault) => `\n  ${fault}`).join("");
    throw new PaycastError("config-invalid", `${scope.node.path} has invalid props:${lines}`);
  }
  return read.config;
}

/** Undefined for a CDK token that is not resolved yet. */
function known(place: string): string | undefined {
  return Token.isUnresolved(place) ? undefined : place;
}

function constructFaults(props: PaycastProps): string[] {
  const { encryptionKey, encryptionKeyArn } = props;
  const faults = topicFaults(props);
  if (encryptionKey && encryptionKeyArn)
    faults.push("encryptionKeyArn must not be set together with encryptionKey");
  if (encryptionKey && isAlias(encryptionKey)) {
    faults.push("encryptionKey must be a key, not an alias: permissions name keys");
  }
  return faults;
}

/** An alias can also be imported by its ARN, as if it were a key. */
function isAlias(key: IKey): boolean {
  return "aliasName" in key || key.keyArn.includes(":alias/");
}

function topicFaults({ alarmTopic, morningAlarmTopic, alarms }: PaycastProps): string[] {
  const faults: string[] = [];
  if (alarmTopic && (alarms?.topicArn || alarms?.email || alarms?.morning))
    faults.push("topicArn, email and morning of alarms must not be set together with alarmTopic");
  if (morningAlarmTopic && !alarmTopic)
    faults.push("alarmTopic must be set together with morningAlarmTopic");
  for (const [name, topic] of Object.entries({ alarmTopic, morningAlarmTopic })) {
    if (topic?.fifo)
      faults.push(`${name} must be a standard topic: alarms cannot use a FIFO topic`);
  }
  return faults;
}

/** Like the ARNs of the config: without this check the deployment would fail late. */
function constructsElsewhere(props: PaycastProps, region: string): string[] {
  const { encryptionKey, alarmTopic, morningAlarmTopic } = props;
  return Object.entries({ encryptionKey, alarmTopic, morningAlarmTopic })
    .filter(([, construct]) => construct !== undefined && isElsewhere(construct.env.region, region))
    .map(([prop]) => `${prop} must be in ${region}, where the stack is deployed`);
}

function isElsewhere(resourceRegion: string, region: string): boolean {
  return (
    !Token.isUnresolved(resourceRegion) && !Token.isUnresolved(region) && resourceRegion !== region
  );
}
