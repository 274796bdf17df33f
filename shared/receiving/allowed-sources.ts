import { BlockList, isIP } from "node:net";

/** Whether an address may send callbacks. */
export type AllowSource = (address: string) => boolean;

/** Takes addresses and CIDR blocks such as `203.0.113.0/24`. */
export function allowSources(blocks: readonly string[]): AllowSource {
  const allowed = new BlockList();
  for (const block of blocks) {
    const [address = "", prefixLength] = block.split("/");
    if (prefixLength === undefined) allowed.addAddress(address, familyOf(address));
    else allowed.addSubnet(address, Number(prefixLength), familyOf(address));
  }
  return (address) => isIP(address) !== 0 && allowed.check(address, familyOf(address));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}
