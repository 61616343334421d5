import type { AppEvent } from '../../events/events.js';
import { storedTypes } from '../../schema/find.js';
import type { Schema } from '../../schema/types.js';
import type { Store } from '../../store/client.js';
import { forgetSearch } from '../../store/entries/claims.js';
import { compareClaims, compareEntries, type Sampling } from '../../store/entries/compare-claims.js';
import { claimingsOf } from './claims-of.js';
import { claimKinds } from './kinds.js';

/**
 * Looks for entries without their claims, and for claims without an entry. If claims are missing, the next start of
 * Mangrove searches their type again. `sampling` applies to each collection, and to each kind of claim. The claim to be
 * the document of a single type is not examined: it is needed only until that has an entry.
 */
export async function examineClaims(
  { db }: Pick<Store, 'db'>,
  schema: Schema,
  sampling: Sampling,
): Promise<readonly AppEvent[]> {
  const found: AppEvent[] = [];
  // Accounts and roles are stored without the Document Service.
  for (const type of storedTypes(schema).filter(({ origin }) => origin === 'api')) {
    const { uid } = type;
    const kinds = claimKinds(schema, type);
    if (kinds.length === 0) continue;
    const claimings = claimingsOf(type, kinds);
    let [missing, taken] = [0, 0];
    for (const claiming of claimings) {
      const count = await compareEntries(db, claiming, sampling);
      missing += count.missing;
      taken += count.taken;
    }
    let abandoned = 0;
    for (const { name } of kinds)
      abandoned += await compareClaims(db, { prefix: `${uid}/${name}/`, claimings }, sampling);
    if (missing > 0) {
      await forgetSearch(db, uid);
      found.push({ name: 'claims-missing', uid, count: missing });
    }
    if (taken > 0) found.push({ name: 'claims-of-others', uid, count: taken });
    if (abandoned > 0) found.push({ name: 'claims-abandoned', uid, count: abandoned });
  }
  return found.length > 0 ? found : [{ name: 'claims-complete' }];
}
