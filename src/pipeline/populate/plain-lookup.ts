import { isPlainObject } from '../../values/plain-object.js';
import type { Stage } from '../types.js';
import type { Path } from './project.js';

/**
 * Replaces a to-one `$lookup` whose pipeline only projects by one without a pipeline, because MongoDB plans
 * such a pipeline again for each row. The projected fields are returned, for the final projection of the
 * level. Null if it cannot be replaced; lists keep their pipeline, since unprojected entries may be large.
 */
export function plainLookup(
  { populate, target, level }: Path,
  lookups: readonly Stage[],
): { readonly stage: Stage; readonly fields: readonly string[] } | null {
  const { $lookup, ...others } = (lookups.length === 1 ? lookups[0] : null) ?? {};
  if (!isPlainObject($lookup) || Object.keys(others).length > 0 || populate.kind !== 'owned') return null;
  if (populate.relation.attribute.many || level.type.storage || target.target.storage) return null;
  const { pipeline, ...plain } = $lookup;
  const [projection, ...more]: readonly Stage[] = Array.isArray(pipeline) ? pipeline : [];
  const fields = projection?.['$project'];
  if (more.length > 0 || !isPlainObject(fields) || 'let' in plain) return null;
  const { _id, ...kept } = fields;
  if (_id !== 0 || Object.values(kept).some((value) => value !== 1)) return null;
  return { stage: { $lookup: plain }, fields: Object.keys(kept) };
}
