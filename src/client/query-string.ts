/** A query as the content API reads it (the form of qs): `filters[name][$eq]=Ann`, lists by index. */

/** @throws TypeError at a condition without a value: the server could not see it, and would answer more than was asked for. */
export function queryString(query: object): string {
  const pairs: string[] = [];
  const add = (path: string, value: unknown): void => {
    if (value === undefined) return;
    if (value === null || typeof value !== 'object' || value instanceof Date) {
      const text = value instanceof Date ? value.toISOString() : value === null ? '' : String(value);
      pairs.push(`${path}=${encodeURIComponent(text)}`);
      return;
    }
    const members = Object.entries(value);
    if (members.length === 0 && path.startsWith('filters[') && Array.isArray(value))
      throw new TypeError(`${path} is an empty list, which a query string cannot say`);
    for (const [key, member] of members) {
      const part = encodeURIComponent(key).replaceAll('%24', '$');
      add(path === '' ? part : `${path}[${part}]`, member);
    }
  };
  add('', query);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
