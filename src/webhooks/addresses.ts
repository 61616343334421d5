/** Which addresses deliveries may be sent to: none of a private network, unless it is allowed. */
import { type LookupAddress, type LookupOptions, lookup as resolve } from 'node:dns';
import { BlockList, isIP } from 'node:net';

/** Addresses that are not of the public internet, or lead to others. */
const NETWORKS = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
  // Of IPv6 only the global addresses are public; some of these contain others.
  ['::', 3],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['4000::', 2],
  ['8000::', 1],
] as const;

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** One list for each family: a list takes an address of IPv4 for the one of IPv6 that contains it. */
const PRIVATE = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const [network, bits] of NETWORKS)
  PRIVATE[familyOf(network)].addSubnet(network, bits, familyOf(network));

const isPrivate = (address: string): boolean => PRIVATE[familyOf(address)].check(address, familyOf(address));

/** True: every address; otherwise hosts, addresses, and networks such as `10.0.0.0/8`. */
export type AllowedPrivate = true | readonly string[];

/** Why an address is not sent to. */
export class PrivateAddress extends Error {
  override readonly name = 'PrivateAddress';

  constructor(host: string) {
    super(`${host} is an address of a private network; webhooks.allowPrivate in config/server allows it`);
  }
}

const NETWORK = /^(.+)\/(\d{1,3})$/;

/** Whether an address may be sent to, as an address of `host`. */
export type Allows = (host: string, address: string) => boolean;

/** @throws RangeError for a network that is none */
export function allowing(allowed: AllowedPrivate): Allows {
  if (allowed === true) return () => true;
  const networks = new BlockList();
  const hosts = new Set<string>();
  for (const given of allowed) {
    const [, network = '', bits = ''] = NETWORK.exec(given) ?? [];
    if (network !== '') networks.addSubnet(network, Number(bits), familyOf(network));
    else if (isIP(given)) networks.addAddress(given, familyOf(given));
    else hosts.add(given.toLowerCase());
  }
  return (host, address) =>
    !isPrivate(address) || hosts.has(host.toLowerCase()) || networks.check(address, familyOf(address));
}

/** A host of a URL as an address; null if it is a name. */
export const literalAddress = (host: string): string | null => {
  const bare = host.startsWith('[') ? host.slice(1, -1) : host;
  return isIP(bare) ? bare : null;
};

type Found = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/**
 * Resolves a host for a connection, which is made to the addresses found here and no others. Fails with
 * `PrivateAddress` if one of them may not be sent to.
 */
export const lookupAllowed =
  (allows: Allows) =>
  (host: string, options: LookupOptions, found: Found): void => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error) return found(error, []);
      if (!addresses.every(({ address }) => allows(host, address)))
        return found(new PrivateAddress(host), []);
      const [first] = addresses;
      if (options.all || !first) return found(null, addresses);
      found(null, first.address, first.family);
    });
  };
