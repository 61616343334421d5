import { storedTypes } from '../../schema/find.js';
import type { Schema } from '../../schema/types.js';
import type { Store } from '../../store/client.js';
import {
  claimStored,
  markOfSearch,
  markSearched,
  openClaims,
  searchedClaims,
} from '../../store/entries/claims.js';
import { claimingsOf } from './claims-of.js';
import { claimKinds } from './kinds.js';

/**
 * Creates the claims of entries that were stored without them: by another program, or
 * before an attribute became unique. Each kind is searched once, on a standalone server once after each of its starts;
 * `again` searches all of them, for use after entries were written without Mangrove.
 */
export async function searchClaims({ db }: Store, schema: Schema, again = false): Promise<void> {
  await openClaims(db);
  const mark = await markOfSearch(db);
  const searched = again ? new Set<string>() : await searchedClaims(db, mark);
  const done: string[] = [];
  for (const type of storedTypes(schema)) {
    const kinds = claimKinds(schema, type).filter(({ name }) => !searched.has(`${type.uid}/${name}`));
    if (kinds.length === 0) continue;
    for (const claiming of claimingsOf(type, kinds).toReversed()) await claimStored(db, claiming);
    done.push(...kinds.map(({ name }) => `${type.uid}/${name}`));
  }
  await markSearched(db, done, mark);
}
