import { CallerSlot } from '../query/caller-values.js';

/** A plan as plain data: models by uid, attributes by name, maps as objects. */
export function plainPlan(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date || '_bsontype' in value)
    return value;
  if (value instanceof CallerSlot) return `$caller.${value.caller}`;
  if (Array.isArray(value)) return value.map(plainPlan);
  if (value instanceof Map) return plainObject([...value]);
  const members = value as { uid?: unknown; modelType?: unknown; name?: unknown; searchable?: unknown };
  if (members.modelType !== undefined) return members.uid;
  if (members.searchable !== undefined) return members.name;
  return plainObject(Object.entries(value));
}

const plainObject = (entries: readonly (readonly [string, unknown])[]): unknown =>
  Object.fromEntries(
    entries.filter(([, item]) => item !== undefined).map(([key, item]) => [key, plainPlan(item)]),
  );
