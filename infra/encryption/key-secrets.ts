import { RemovalPolicy, Stack } from "aws-cdk-lib";
import type { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { CfnSecret } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";
import { smokeName } from "../../shared/smoke-merchant.ts";
import type { Config } from "../config/config-schema.ts";
import { allow } from "../lambda/paycast-function.ts";
import { allowKey } from "./encrypt-with-key.ts";

/** The secrets of one kind: their ids, and the permissions to read them. */
export interface ReadableSecrets {
  permissions: PolicyStatement[];
  byMerchant: string;
}

/** The secret of the stamp key: its id, and the permissions to read it. */
export interface StampSecret {
  permissions: PolicyStatement[];
  id: string;
}

export interface MerchantSecrets {
  merchantId: string;
  callbackKeys: string;
  requestKeys: string;
}

/**
 * Two secrets per merchant, so that the function that faces the internet never holds the key that signs orders. They
 * are created without a version, so that missing keys differ from wrong keys. A secret that the config names exists
 * already and is only read.
 */
export class KeySecrets extends Construct {
  readonly merchants: MerchantSecrets[];
  /** The merchant of smoke tests has callback keys only: the functions that call the service do not know it. */
  readonly smokeCallbackKeys: string | undefined;
  readonly callbackKeys: ReadableSecrets;
  readonly requestKeys: ReadableSecrets;
  readonly stampKey: StampSecret;
  /** The KMS keys of secrets that the config names. */
  private readonly foreignKeys: string[];

  constructor(
    scope: Construct,
    id: string,
    config: Pick<Config, "merchants" | "smoke" | "secrets">,
  ) {
    super(scope, id);
    this.merchants = config.merchants.map((merchantId) => {
      const { callbackKeysArn, requestKeysArn } = config.secrets[merchantId] ?? {};
      return {
        merchantId,
        callbackKeys:
          callbackKeysArn ?? this.keptSecret("CallbackKeys", merchantId, "open its callbacks"),
        requestKeys:
          requestKeysArn ?? this.keptSecret("RequestKeys", merchantId, "sign its requests"),
      };
    });
    this.foreignKeys = Object.values(config.secrets).flatMap(
      ({ encryptionKeyArn }) => encryptionKeyArn ?? [],
    );
    this.smokeCallbackKeys = config.smoke ? this.smokeSecret() : undefined;
    this.callbackKeys = this.readable({
      ...this.secretsOf("callbackKeys"),
      ...(this.smokeCallbackKeys !== undefined && { [smokeName]: this.smokeCallbackKeys }),
    });
    this.requestKeys = this.readable(this.secretsOf("requestKeys"));
    this.stampKey = this.stampSecret();
  }

  /**
   * The stack creates this key for itself. `generateSecretString` must never change, because CloudFormation would then
   * create another key. Retained: without it, messages in a retained inbox are worthless.
   */
  private stampSecret(): StampSecret {
    const secret = new CfnSecret(this, "StampKey", {
      description: "The key with which the stack stamps its messages in the inbox",
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
    });
    secret.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
    return {
      permissions: [allow(["secretsmanager:GetSecretValue"], [secret.ref])],
      id: secret.ref,
    };
  }

  private keptSecret(kind: string, merchantId: string, purpose: string): string {
    const secret = this.emptySecret(`${kind}-${merchantId}`, `merchant ${merchantId}`, purpose);
    // Retained with its keys. Only a failed first deployment deletes the empty secret.
    secret.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
    return secret.ref;
  }

  /** Each smoke test creates new keys, so nothing is lost with this secret. */
  private smokeSecret(): string {
    const secret = this.emptySecret(
      `CallbackKeys-${smokeName}`,
      "smoke tests",
      "open their callbacks",
    );
    secret.applyRemovalPolicy(RemovalPolicy.DESTROY);
    return secret.ref;
  }

  /** The low-level resource, because the high-level construct always generates a value. */
  private emptySecret(id: string, owner: string, purpose: string): CfnSecret {
    return new CfnSecret(this, id, { description: `Keys of ${owner} that ${purpose}` });
  }

  private secretsOf(kind: "callbackKeys" | "requestKeys"): Record<string, string> {
    return Object.fromEntries(
      this.merchants.map((merchant) => [merchant.merchantId, merchant[kind]]),
    );
  }

  private readable(secrets: Readonly<Record<string, string>>): ReadableSecrets {
    const permissions = [allow(["secretsmanager:GetSecretValue"], Object.values(secrets))];
    const keys = [...new Set(this.foreignKeys)];
    if (keys.length > 0) permissions.push(allowKey(this, "secretsmanager", keys));
    return { permissions, byMerchant: Stack.of(this).toJsonString(secrets) };
  }
}
