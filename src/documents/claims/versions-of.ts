import { storedTypes } from '../../schema/find.js';
import type { Schema } from '../../schema/types.js';
import { collectionName } from '../../store/connection/collections.js';
import { oncePer } from '../../values/once-per.js';
import type { VersionOf } from './claims-of.js';

/** The type and version that each collection holds, by collection name. */
export const versionsOf = oncePer((schema: Schema): ReadonlyMap<string, VersionOf> => {
  const versions = new Map<string, VersionOf>();
  for (const type of storedTypes(schema))
    for (const status of ['draft', 'published'] as const)
      versions.set(collectionName(type, status), { type, status });
  return versions;
});
