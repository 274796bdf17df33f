import { CfnApiMapping, type CfnStage, DomainName } from "aws-cdk-lib/aws-apigatewayv2";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import { CfnRecordSet } from "aws-cdk-lib/aws-route53";
import { Construct } from "constructs";
import type { Config } from "../config/config-schema.ts";

/** An address that does not change if the stack is created again: callback URLs must not change (§6). */
export class CustomDomain extends Construct {
  /** The target of the domain's DNS record. */
  readonly target: string;

  constructor(
    scope: Construct,
    id: string,
    { name, certificateArn, hostedZone }: NonNullable<Config["domain"]>,
    stage: CfnStage,
  ) {
    super(scope, id);
    const domain = new DomainName(this, "Name", {
      domainName: name,
      certificate: Certificate.fromCertificateArn(this, "Certificate", certificateArn),
    });
    new CfnApiMapping(this, "Mapping", {
      apiId: stage.apiId,
      domainName: domain.name,
      stage: stage.ref,
    });
    this.target = domain.regionalDomainName;
    if (hostedZone === undefined) return;
    new CfnRecordSet(this, "Record", {
      hostedZoneId: hostedZone,
      name,
      type: "A",
      aliasTarget: {
        dnsName: domain.regionalDomainName,
        hostedZoneId: domain.regionalHostedZoneId,
      },
    });
  }
}
