/** A query in the format of qs that the content API uses: `filters[name][$eq]=Ann`, lists by index. */

/**
 * @throws TypeError for a condition without a value: it would not be sent, so the answer would contain too
 * much
 */
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
