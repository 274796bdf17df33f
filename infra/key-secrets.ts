import { RemovalPolicy, Stack } from "aws-cdk-lib";
import { CfnSecret } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";

/** The secrets of one kind: their ids for the function, and their ARNs for its permissions. */
export interface ReadableSecrets {
  arns: string[];
  byMerchant: string;
}

export interface MerchantSecrets {
  merchantId: string;
  callbackKeys: string;
  requestKeys: string;
}

/**
 * Two secrets per merchant, so that the function that receives callbacks from the internet never has the key that
 * signs orders. They are created without a version, so that missing keys differ from wrong keys.
 */
export class KeySecrets extends Construct {
  readonly merchants: MerchantSecrets[];
  readonly callbackKeys: ReadableSecrets;
  readonly requestKeys: ReadableSecrets;

  constructor(scope: Construct, id: string, merchantIds: readonly string[]) {
    super(scope, id);
    this.merchants = merchantIds.map((merchantId) => ({
      merchantId,
      callbackKeys: this.emptySecret("CallbackKeys", merchantId, "open its callbacks"),
      requestKeys: this.emptySecret("RequestKeys", merchantId, "sign its requests"),
    }));
    this.callbackKeys = this.secretsOf("callbackKeys");
    this.requestKeys = this.secretsOf("requestKeys");
  }

  /** The low-level resource, because the high-level construct always generates a value. */
  private emptySecret(kind: string, merchantId: string, purpose: string): string {
    const secret = new CfnSecret(this, `${kind}-${merchantId}`, {
      description: `Keys of merchant ${merchantId} that ${purpose}`,
    });
    // Retained with the keys in it; only a failed first deployment deletes the empty secrets.
    secret.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
    return secret.ref;
  }

  private secretsOf(kind: "callbackKeys" | "requestKeys"): ReadableSecrets {
    const entries = this.merchants.map(
      (merchant) => [merchant.merchantId, merchant[kind]] as const,
    );
    return {
      arns: entries.map(([, arn]) => arn),
      byMerchant: Stack.of(this).toJsonString(Object.fromEntries(entries)),
    };
  }
}
