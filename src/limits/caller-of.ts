import { isIPv6 } from 'node:net';

const GROUPS = 8;
/** Groups of an IPv6 address that identify a /64 network. */
const OWN = 4;

/**
 * The key under which the requests of a client are counted: an IPv4 address, or the /64 network of an IPv6
 * address, since one client usually has a whole /64 and can use another address for each request.
 */
export function callerOf(address: string): string {
  if (!address.includes(':')) return address;
  const [plain = ''] = address.split('%');
  if (!isIPv6(plain)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1];
  if (mapped !== undefined) return mapped;
  const [before = '', after] = plain.split('::');
  const head = groupsOf(before);
  const tail = groupsOf(after ?? '');
  const between = after === undefined ? 0 : Math.max(0, GROUPS - head.length - tail.length);
  const groups = [...head, ...Array<number>(between).fill(0), ...tail];
  return `${groups
    .slice(0, OWN)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/**
 * A trailing IPv4 address stands for two groups. Their value does not matter: they are never among the first
 * four.
 */
const groupsOf = (text: string): readonly number[] =>
  text === ''
    ? []
    : text.split(':').flatMap((group) => (group.includes('.') ? [0, 0] : [Number.parseInt(group, 16)]));
