import { collectionName } from '../../schema/stored/collections.js';
import type { Entry } from '../../store/entries/changes.js';
import { isPlainObject } from '../../values/plain-object.js';
import type { Call } from '../call.js';
import type { BuildContext, ResolveContext } from '../context.js';
import { planWrite } from '../plan/plan-write.js';
import type { WritePlan } from '../plan/write-plan.js';
import { TARGET_FIELDS } from '../resolve/targets.js';

/**
 * A context for each call of a batch, with its plan; the documents that the plans refer to are read at once.
 */
export async function planAhead(
  write: BuildContext,
  calls: readonly Call[],
): Promise<readonly BuildContext[]> {
  const plans = calls.map((call) => planOf(write, call));
  const read = await readTargets(write, plans);
  return plans.map((plannedAhead) => ({ ...write, read, ...(plannedAhead && { plannedAhead }) }));
}

/** The plan that the operation will make, unless stored entries change it. */
function planOf({ schema, type }: BuildContext, { documentId, data }: Call): WritePlan | undefined {
  const action = documentId === undefined ? 'create' : 'update';
  try {
    return planWrite(schema, { type, data, action });
  } catch {
    // The operation will throw the error in its turn.
    return undefined;
  }
}

async function readTargets(
  { schema, read }: ResolveContext,
  plans: readonly (WritePlan | undefined)[],
): Promise<ResolveContext['read']> {
  const wanted = new Map<string, Set<string>>();
  for (const { uid, documentId } of plans.flatMap((plan) => plan?.needs.targets ?? [])) {
    if (documentId === null) continue;
    const ids = wanted.get(uid) ?? new Set();
    wanted.set(uid, ids.add(documentId));
  }
  const found = new Map<string, Map<string, Entry[]>>();
  for (const [uid, ids] of wanted) {
    const type = schema.contentTypes.get(uid);
    if (!type || type.storage) continue;
    const collection = collectionName(type, 'draft');
    const rows = new Map<string, Entry[]>([...ids].map((id) => [id, []]));
    for (const row of await read(collection, { documentId: { $in: [...ids] } }, TARGET_FIELDS))
      rows.get(String(row['documentId']))?.push(row);
    found.set(collection, rows);
  }
  return async (collection, filter, fields, signal) => {
    const rows = found.get(collection);
    const ids = rows && fields === TARGET_FIELDS ? idsOf(filter) : null;
    if (!rows || !ids?.every((id) => rows.has(id))) return read(collection, filter, fields, signal);
    return ids.flatMap((id) => rows.get(id) ?? []);
  };
}

/** The documentIds of a filter that has no other condition; otherwise null. */
function idsOf(filter: Readonly<Record<string, unknown>>): readonly string[] | null {
  const { documentId, ...others } = filter;
  if (Object.keys(others).length > 0 || !isPlainObject(documentId)) return null;
  const { $in: ids, ...rest } = documentId;
  return Object.keys(rest).length === 0 && Array.isArray(ids) ? ids.map(String) : null;
}
