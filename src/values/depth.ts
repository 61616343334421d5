/**
 * How deep lists and objects of a source may be nested. MongoDB stores about 100 levels; what is far beyond
 * that is no content, and would exhaust the stack of every function that follows it.
 */
export const MAX_DEPTH = 500;

/** Whether lists and objects are nested more than `levels` deep. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const member of Object.values(value)) if (isDeeperThan(member, levels - 1)) return true;
  return false;
}
