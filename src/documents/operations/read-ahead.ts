import { contentTypeOf } from '../../schema/find.js';
import { collectionName } from '../../store/connection/collections.js';
import type { Entry } from '../../store/entries/changes.js';
import { isPlainObject } from '../../values/plain-object.js';
import type { WriteContext } from '../context.js';
import { planWrite } from '../plan/plan-write.js';

/** What is read of a target (see resolve/targets.ts). */
const FIELDS = ['id', 'documentId', 'locale'];

/** The same write, with the documents that all these bodies name read at once, where each would be read by itself. */
export async function readAhead(write: WriteContext, bodies: readonly unknown[]): Promise<WriteContext> {
  const wanted = new Map<string, Set<string>>();
  for (const data of bodies)
    for (const { uid, documentId } of targetsOf(write, data)) {
      if (documentId === null) continue;
      const ids = wanted.get(uid) ?? new Set();
      wanted.set(uid, ids.add(documentId));
    }
  const ahead = new Map<string, Map<string, Entry[]>>();
  for (const [uid, ids] of wanted) {
    const type = contentTypeOf(write.schema, uid);
    if (!type || type.storage) continue;
    const collection = collectionName(type, 'draft');
    const rows = new Map<string, Entry[]>([...ids].map((id) => [id, []]));
    for (const row of await write.read(collection, { documentId: { $in: [...ids] } }, FIELDS))
      rows.get(String(row['documentId']))?.push(row);
    ahead.set(collection, rows);
  }
  const read: WriteContext['read'] = async (collection, filter, fields, signal) => {
    const rows = ahead.get(collection);
    const ids = rows && String(fields) === String(FIELDS) ? idsOf(filter) : null;
    if (!rows || !ids?.every((id) => rows.has(id))) return write.read(collection, filter, fields, signal);
    return ids.flatMap((id) => rows.get(id) ?? []);
  };
  return { ...write, read };
}

/** The documents that a filter asks for, where it asks for nothing else. */
function idsOf(filter: Readonly<Record<string, unknown>>): readonly string[] | null {
  const { documentId, ...others } = filter;
  if (Object.keys(others).length > 0 || !isPlainObject(documentId)) return null;
  const { $in: ids, ...rest } = documentId;
  return Object.keys(rest).length === 0 && Array.isArray(ids) ? ids.map(String) : null;
}

function targetsOf({ schema, type }: WriteContext, data: unknown) {
  try {
    return planWrite(schema, { type, data, action: 'create', partial: true }).needs.targets;
  } catch {
    // The write itself says what is wrong with it.
    return [];
  }
}
