/** Changes everything in a database that one caller may not see, and nothing else. */
import { type Db, type Document, ObjectId } from 'mongodb';
import { createDocumentId } from '../../../src/documents/document-id.js';
import { modelOf } from '../../../src/schema/find.js';
import { collectionName, historyName, statusesOf } from '../../../src/schema/stored/collections.js';
import type { Attribute, ContentType, Model, Schema } from '../../../src/schema/types.js';
import { hiddenFrom } from '../attribute-paths.js';
import type { Asking } from './callers.js';

type Row = Record<string, unknown>;

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null;

/** Another value of the same type, and one where there was none. */
function otherScalar(attribute: Attribute, value: unknown): unknown {
  if (attribute.kind !== 'scalar') return value;
  if (value instanceof Date) return new Date(value.getTime() + 86_400_000);
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (attribute.type === 'enumeration') return value === 'old' ? 'new' : 'old';
  if (attribute.type === 'date') return value === '2024-02-11' ? '2024-03-11' : '2024-02-11';
  if (attribute.type === 'json') return { a: 'other' };
  // Not a text that contains the first, which many filters could not tell from it.
  if (typeof value === 'string')
    return `x${value.replace(/\d/g, (digit) => String((Number(digit) + 5) % 10))}`;
  // Several would have the same value.
  if (attribute.type === 'uid') return value;
  return value === null || value === undefined ? (attribute.type === 'integer' ? 5 : 'other') : value;
}

const CLONED = 3;
const SHIFT = 5000;

export interface World {
  readonly db: Db;
  readonly schema: Schema;
  readonly asking: Asking;
  /** The caller will write. */
  readonly writes?: boolean;
}

/** @returns how many stored documents differ */
export async function disguise(world: World): Promise<number> {
  const { schema, asking, db } = world;
  const { grants } = asking;
  const isClosed = hiddenFrom(grants);
  const rules = asking.rules?.byType ?? new Map<string, never>();
  const isHidden = (attribute: Attribute, model: Model): boolean => {
    const fields = rules.get(model.uid)?.fields;
    const isLeftOut = fields && !fields.has(attribute.name) && !['id', 'documentId'].includes(attribute.name);
    return isLeftOut === true || isClosed(attribute);
  };
  const anonymous = asking.key === undefined;
  const seen = (uid: string): boolean => grants.allows(`${uid}.find`);
  const types = [...schema.contentTypes.values()].filter(({ origin }) => origin === 'api');
  const rowsOf = (name: string): Promise<Document[]> => db.collection(name).find().sort({ id: 1 }).toArray();

  const byDocument = new Map<string, ReadonlyMap<string, Row>>();
  for (const type of types)
    byDocument.set(
      type.uid.split('.')[1] ?? '',
      new Map(
        (await rowsOf(collectionName(type, 'published'))).map((row) => [String(row['documentId']), row]),
      ),
    );
  const reached = (name: string): ReadonlyMap<string, Row> => byDocument.get(name) ?? new Map();
  /** Whether a rule leaves a row out. */
  const isRuledOut = ({ uid }: ContentType, row: Row): boolean =>
    rules.get(uid)?.shows(row, reached) === false;

  /** The versions of a type that were kept in a status. */
  const versionsOf = async (type: ContentType, status: string): Promise<Document[]> =>
    type.history
      ? (await rowsOf(historyName(type))).filter(({ _version }) => _version.status === status)
      : [];
  const seenPast = (uid: string): boolean => seen(uid) && grants.allows(`${uid}.findVersions`);

  /** The documentIds of the documents of each type, and of those that the caller may not see. */
  const all = new Map<string, string[]>();
  const unseen = new Map<string, Set<string>>();
  for (const type of types) {
    const rows = await Promise.all(statusesOf(type).map((status) => rowsOf(collectionName(type, status))));
    const idsOf = (list: readonly Document[]): string[] => list.map(({ documentId }) => String(documentId));
    const ids = [...new Set(rows.flatMap(idsOf))];
    const kept = await Promise.all(statusesOf(type).map((status) => versionsOf(type, status)));
    const readable = new Set(
      statusesOf(type).flatMap((status, at) =>
        !seen(type.uid) || (anonymous && status === 'draft')
          ? []
          : idsOf(
              [...(rows[at] ?? []), ...(seenPast(type.uid) ? (kept[at] ?? []) : [])].filter(
                (row) => !isRuledOut(type, row),
              ),
            ),
      ),
    );
    all.set(type.uid, ids);
    unseen.set(type.uid, new Set(ids.filter((id) => !readable.has(id))));
  }

  /** References to other documents of the same type. */
  const moved = (uid: string, value: unknown): unknown => {
    const ids = all.get(uid) ?? [];
    const next = (id: unknown): unknown => ids[(ids.indexOf(String(id)) + 1) % ids.length] ?? id;
    if (Array.isArray(value)) return [...new Set(value.slice(0, -1).map(next))];
    return value === null || value === undefined ? (ids[0] ?? null) : next(value);
  };

  /** References to what the caller may see, without every other of the rest. */
  const thinned = (row: Row, name: string, isUnseen: (value: unknown) => boolean): void => {
    const value = row[name];
    if (!Array.isArray(value)) {
      if (value !== null && value !== undefined && isUnseen(value)) row[name] = null;
      return;
    }
    let count = 0;
    const stays = value.map((one: unknown) => !isUnseen(one) || ++count % 2 === 0);
    row[name] = value.filter((_, at) => stays[at]);
    const links = row['_links'];
    const stored = isRow(links) ? links[name] : undefined;
    if (!isRow(stored)) return;
    for (const [key, list] of Object.entries(stored))
      if (Array.isArray(list)) stored[key] = list.filter((_, at) => stays[at] !== false);
  };

  /** What rules look at stays, so that they say the same of the row. */
  const staysAs = ({ uid }: Model, name: string): boolean =>
    rules.get(uid)?.looksAt.has(name) === true || asking.rules?.kept[uid]?.includes(name) === true;

  /** @param partly other locales of the document are seen: what all of them share stays the same in all of them */
  const change = (model: Model, row: Row, whole: boolean, partly = false): void => {
    for (const attribute of model.attributes.values()) {
      const { name } = attribute;
      if (staysAs(model, name)) continue;
      const wholly = whole && !(partly && !attribute.system && !attribute.localized);
      const value = row[name];
      if (attribute.kind === 'component' || attribute.kind === 'zone') {
        for (const item of [value].flat().filter(isRow)) {
          const uid = attribute.kind === 'component' ? attribute.component : String(item['__component']);
          const inner = modelOf(schema, uid);
          if (inner) change(inner, item, wholly || isHidden(attribute, model));
        }
      } else if (attribute.kind === 'scalar') {
        const closed = wholly || isHidden(attribute, model);
        if (closed && !['documentId', 'locale', 'id'].includes(name))
          row[name] = otherScalar(attribute, value);
      } else if (attribute.kind === 'media') {
        if ((wholly || isHidden(attribute, model)) && name in row)
          row[name] = Array.isArray(value) ? [] : null;
      } else if (attribute.owner && name in row && attribute.target === null) {
        const hides = (one: unknown): boolean =>
          isRow(one) &&
          unseen.get(String(one['__type'] ?? one['type']))?.has(String(one['documentId'])) === true;
        if (wholly) row[name] = attribute.many ? [] : null;
        else thinned(row, name, hides);
      } else if (attribute.owner && name in row && attribute.target !== null) {
        const { target } = attribute;
        if (wholly || isHidden(attribute, model)) row[name] = moved(target, value);
        else thinned(row, name, (one) => unseen.get(target)?.has(String(one)) === true);
      }
    }
  };

  let differ = 0;
  const replace = async (name: string, row: Document): Promise<void> => {
    differ += 1;
    await db.collection(name).replaceOne({ _id: row._id }, row);
  };

  /** Removes every fourth, changes the others wholly, and adds some. */
  const hide = async (type: ContentType, name: string, rows: readonly Document[]): Promise<void> => {
    for (const [at, row] of rows.entries()) {
      // Rules of other types would say otherwise of what leads to a removed row. Writes make no document that is published
      // but has no draft, or tell one from others.
      const isWhole = !world.writes || unseen.get(type.uid)?.has(String(row['documentId']));
      if (at % 4 === 3 && isWhole && !asking.rules?.kept[type.uid]) {
        differ += 1;
        await db.collection(name).deleteOne({ _id: row._id });
        continue;
      }
      change(type, row, true, type.localized && !unseen.get(type.uid)?.has(String(row['documentId'])));
      if (at % 2 === 0) row['id'] = Number(row['id']) + SHIFT;
      await replace(name, row);
    }
    if (type.kind === 'singleType') return;
    for (const [at, row] of rows.slice(0, CLONED).entries()) {
      differ += 1;
      const documentId = createDocumentId();
      const _id = type.storage ? documentId : new ObjectId();
      const made: Document = { ...row, _id, id: 2 * SHIFT + at, documentId };
      // Unique values may be taken by entries that the caller sees.
      await db.collection(name).insertOne('slug' in row ? { ...made, slug: `clone-${at}` } : made);
    }
  };

  const shown = new Set<string>();
  const noteFiles = (model: Model, row: Row): void => {
    for (const attribute of model.attributes.values()) {
      const values = [row[attribute.name]].flat();
      if (isHidden(attribute, model)) continue;
      if (attribute.kind === 'media') for (const one of values) shown.add(String(one));
      if (attribute.kind === 'component' || attribute.kind === 'zone')
        for (const item of values.filter(isRow)) {
          const uid = attribute.kind === 'component' ? attribute.component : String(item['__component']);
          const inner = modelOf(schema, uid);
          if (inner) noteFiles(inner, item);
        }
    }
  };

  for (const type of types)
    for (const status of statusesOf(type)) {
      const name = collectionName(type, status);
      const draft = status === 'draft' && type.draftAndPublish;
      const rows = await rowsOf(name);
      const isOut = (row: Row): boolean => !seen(type.uid) || (anonymous && draft) || isRuledOut(type, row);
      await hide(type, name, rows.filter(isOut));
      for (const row of rows.filter((one) => !isOut(one))) {
        noteFiles(type, row);
        const before = JSON.stringify(row);
        change(type, row, false);
        if (JSON.stringify(row) !== before) await replace(name, row);
      }
      const versions = await versionsOf(type, status);
      const isPast = (row: Row): boolean => isOut(row) || !seenPast(type.uid);
      await hide(type, historyName(type), versions.filter(isPast));
      for (const row of versions.filter((one) => !isPast(one))) {
        change(type, row, false);
        await replace(historyName(type), row);
      }
    }

  for (const [at, row] of (await rowsOf('mangrove.scheduled')).entries()) {
    const isSeen = grants.allows(`${row['uid']}.findScheduled`) && !anonymous;
    if (isSeen && !unseen.get(row['uid'])?.has(row['documentId'])) continue;
    differ += 1;
    if (at % 3 === 0) await db.collection('mangrove.scheduled').deleteOne({ _id: row._id });
    else await replace('mangrove.scheduled', { ...row, at: new Date(row['at'].getTime() + 1000) });
  }
  if (!grants.allows('plugin::upload.content-api.find'))
    for (const row of await rowsOf('mangrove.files')) {
      if (shown.has(String(row['documentId']))) continue;
      await replace('mangrove.files', { ...row, name: `other ${row['name']}`, caption: 'other', size: 77 });
    }
  const accounts = grants.allows('plugin::users-permissions.user.find');
  for (const [at, row] of (await rowsOf('mangrove.users')).entries()) {
    const hidden = {
      ...row,
      password: `$2b$04$${'x'.repeat(53)}`,
      resetPasswordToken: `reset ${at}`,
      role: null,
    };
    if (row['documentId'] === asking.account)
      await replace('mangrove.users', { ...hidden, role: row['role'] });
    // At the v3 door whoever may read accounts sees the id of their role, though nothing else of it.
    else if (accounts) await replace('mangrove.users', { ...hidden, role: row['role'] });
    else if (at % 2 === 0) await db.collection('mangrove.users').deleteOne({ _id: row._id });
    else
      await replace('mangrove.users', {
        ...hidden,
        username: `other ${at}`,
        email: `other${at}@example.org`,
      });
  }
  const account =
    asking.account && (await db.collection('mangrove.users').findOne({ documentId: asking.account }));
  for (const row of await rowsOf('mangrove.roles')) {
    // The v3 door shows an account its own role.
    if (account && row['documentId'] === account['role']) continue;
    await replace('mangrove.roles', { ...row, name: `Other ${row['name']}`, description: 'other' });
  }
  return differ;
}
