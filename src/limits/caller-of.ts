import { isIPv6 } from 'node:net';

const GROUPS = 8;
/** Of a network of 64 bits. */
const OWN = 4;

/** Whom an address counts as: of IPv6 addresses one caller has a whole network of 64 bits, and may take another for each request. */
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

/** An IPv4 address at the end stands for two groups, which are not among the first. */
const groupsOf = (text: string): readonly number[] =>
  text === ''
    ? []
    : text.split(':').flatMap((group) => (group.includes('.') ? [0, 0] : [Number.parseInt(group, 16)]));
