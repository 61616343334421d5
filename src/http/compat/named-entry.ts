import { FULL_ACCESS } from '../../documents/read/script-request.js';
import type { ContentType } from '../../schema/types.js';
import { numericId } from '../../values/plain-object.js';
import type { AppDeps } from '../deps.js';
import { findRow } from './rows.js';
import { type StoredDeps, storedFor } from './stored.js';
import { withIds } from './v3.js';
import type { Place } from './v3-ids.js';

/** The entry that an id in a path names at the door of older clients, whoever asks; an unknown id is a documentId. */
export async function entryNamed(
  deps: StoredDeps & Pick<AppDeps, 'config'>,
  type: ContentType,
  id: string,
): Promise<Place> {
  if (deps.config.rest.compat === 'v3')
    return withIds(deps, FULL_ACCESS, ({ ids }) => ids.rowOf(type.uid, id));
  const number = numericId(id);
  const row =
    number === null || type.storage ? null : await findRow(storedFor(deps, FULL_ACCESS), type, number, true);
  return row ?? { documentId: id, locale: undefined };
}
