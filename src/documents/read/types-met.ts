import type { ReadPlan } from '../../query/read-plan.js';
import { isBson } from '../../values/bson.js';

/** The models that a plan meets besides its own type, by uid: where its filters, sorts and populate lead. */
export function typesMet({ filter, sort, selection, visible }: ReadPlan): ReadonlySet<string> {
  const met = new Set<string>();
  const { model: _, ...shown } = selection;
  for (const part of [filter, sort, shown, visible?.byType]) meet(part, met);
  return met;
}

function meet(value: unknown, met: Set<string>): void {
  if (typeof value !== 'object' || value === null || value instanceof Date || isBson(value)) return;
  if ('attributes' in value && value.attributes instanceof Map) {
    if ('uid' in value) met.add(String(value.uid));
    return;
  }
  for (const member of value instanceof Map ? value.values() : Object.values(value)) meet(member, met);
}
