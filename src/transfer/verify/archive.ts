import { EJSON } from 'bson';
import { modelOf } from '../../schema/find.js';
import { LOCALE_UID, PERMISSION_UID, ROLE_UID } from '../../schema/uids.js';
import { groupBy } from '../../values/group.js';
import { isObject, numericId, objectAt, type PlainObject, textOf } from '../../values/plain-object.js';
import { jsonLines } from '../archive/lines.js';
import type { Import } from '../run/context.js';
import { wantsType } from '../source/selection.js';
import type { SourceFile } from '../source/types.js';
import { type ArchiveHead, readArchiveHead } from './archive-head.js';
import { type RawArchive, type RawLink, splitStage } from './archive-lines.js';
import { archiveOthers } from './archive-others.js';
import {
  type Expected,
  type ExpectedFields,
  type ExpectedItem,
  type ExpectedRow,
  type ExpectedSource,
  expectedKey,
} from './expected.js';

const BATCH = 200;
/** Approximate characters of a batch; long lines end it early. */
const BATCH_SIZE = 4 * 1024 * 1024;

/** Reads an archive of Strapi 4 or 5 line by line. */
export async function readArchive(run: Import, raw: RawArchive): Promise<ExpectedSource> {
  const head = await readArchiveHead(run, raw);
  return {
    rows: () => readRows(run, raw, head),
    others: () => archiveOthers(run, head),
    files: () => readFiles(raw),
  };
}

async function* readFiles(raw: RawArchive): AsyncGenerator<SourceFile> {
  for await (const { path, bytes } of raw.members()) {
    const [stage, rest] = splitStage(path);
    if (stage === 'assets' && rest.startsWith('uploads/'))
      yield { key: rest.slice('uploads/'.length), bytes };
  }
}

interface RawRow {
  readonly uid: string;
  readonly ref: string;
  readonly data: PlainObject;
  readonly more: PlainObject;
  /** The same for component items, by their path. */
  readonly inItems: PlainObject;
}

async function* readRows(
  run: Import,
  raw: RawArchive,
  head: ArchiveHead,
): AsyncGenerator<readonly ExpectedRow[]> {
  let batch: RawRow[] = [];
  let size = 0;
  for await (const { path, bytes } of raw.members()) {
    if (splitStage(path)[0] !== 'entities') continue;
    for await (const line of jsonLines(bytes)) {
      const row = 'value' in line ? rawRow(line.value) : null;
      if (row?.uid === PERMISSION_UID) head.permissions.set(row.ref, String(row.data['action']));
      else if (row?.uid === LOCALE_UID)
        head.locales.push(...[row.data['code']].filter((code) => typeof code === 'string'));
      else if (row && wantsType(run.selection, row.uid)) {
        if (row.uid === ROLE_UID) head.roleRows.push(row.ref);
        batch.push(row);
        size += JSON.stringify(row.data).length;
      }
      if (batch.length < BATCH && size < BATCH_SIZE) continue;
      yield await expectedRows(run, head, batch);
      batch = [];
      size = 0;
    }
  }
  yield await expectedRows(run, head, batch);
}

function rawRow({ type, id, data, mangrove, mangroveItems }: PlainObject): RawRow | null {
  if (typeof type !== 'string' || !type.includes('::') || !isObject(data)) return null;
  if (typeof id !== 'number' && typeof id !== 'string') return null;
  return { uid: type, ref: String(id), data, more: objectAt(mangrove), inItems: objectAt(mangroveItems) };
}

async function expectedRows(
  run: Import,
  head: ArchiveHead,
  rows: readonly RawRow[],
): Promise<readonly ExpectedRow[]> {
  const { staging } = run;
  const reader = new FieldReader(run, head);
  const keys = rows.flatMap(({ uid, ref, data }) => [expectedKey(uid, ref), ...reader.itemKeys(uid, data)]);
  reader.links = groupBy(
    await staging.findBy<RawLink>('rawLinks', 'holder', [...new Set(keys)]),
    ({ holder }) => holder,
  );
  await staging.add(
    'rawHolders',
    [...reader.links.keys()].map((_id) => ({ _id })),
  );
  return rows.map((row) => reader.row(row));
}

/** The path of an item, and what items have that Strapi's format has no place for. */
interface Within {
  readonly path: string;
  readonly inItems: PlainObject;
}

/** Adds what Strapi's format has no place for. */
function addMore(fields: Map<string, Expected>, more: PlainObject): void {
  for (const [name, value] of Object.entries(EJSON.deserialize(more)))
    if (!fields.has(name)) fields.set(name, { kind: 'value', value });
}

const DATES = new Set(['createdAt', 'updatedAt', 'publishedAt']);

/** Reads the fields of rows and items, with the links that they hold. */
class FieldReader {
  links: ReadonlyMap<string, readonly RawLink[]> = new Map();
  readonly #run: Import;
  readonly #head: ArchiveHead;

  constructor(run: Import, head: ArchiveHead) {
    this.#run = run;
    this.#head = head;
  }

  row({ uid, ref, data, more, inItems }: RawRow): ExpectedRow {
    const { version } = this.#head;
    const documentId = version === 4 ? null : textOf(data['documentId']) || null;
    const isOf4 = version === 4 || (version === null && documentId === null);
    const isLive = data['publishedAt'] !== null && data['publishedAt'] !== undefined;
    const given = Object.entries(data).filter(
      ([name, value]) =>
        (name !== 'documentId' || documentId === null) && !(DATES.has(name) && (value ?? null) === null),
    );
    const key = expectedKey(uid, ref);
    const fields = new Map(this.#fields(uid, key, Object.fromEntries(given), { path: '', inItems }));
    addMore(fields, more);
    const siblings = (this.links.get(key) ?? []).filter(({ field }) => isOf4 && field === 'localizations');
    return {
      uid,
      ref,
      key,
      documentId,
      id: numericId(ref),
      locale: textOf(data['locale']),
      versions: !isLive ? 'draft' : isOf4 ? 'both' : 'published',
      siblings: siblings.map(({ to }) => to),
      fields,
    };
  }

  /** The keys of the component items in a row, at any depth. */
  itemKeys(uid: string, data: PlainObject): readonly string[] {
    return Object.entries(data).flatMap(([name, value]) =>
      (this.#itemsOf(uid, name, value) ?? []).flatMap((item) => {
        const component = this.#componentOf(uid, name, item);
        return [expectedKey(component, item['id']), ...this.itemKeys(component, item)];
      }),
    );
  }

  #fields(uid: string, key: string, data: PlainObject, within: Within): ExpectedFields {
    const fields = new Map<string, Expected>();
    for (const [name, value] of Object.entries(data)) {
      const items = this.#itemsOf(uid, name, value);
      fields.set(
        name,
        items
          ? {
              kind: 'items',
              items: items.map((item, at) =>
                this.#item(uid, name, item, { ...within, path: `${within.path}${name}/${at}` }),
              ),
            }
          : { kind: 'value', value },
      );
    }
    for (const [name, links] of groupBy(this.links.get(key) ?? [], ({ field }) => field)) {
      if (name === 'localizations') continue;
      const ordered = [...links].sort((a, b) => (a.pos ?? 0) - (b.pos ?? 0) || a._id - b._id);
      fields.set(name, { kind: 'links', to: ordered.map(({ to, anyLocale }) => ({ key: to, anyLocale })) });
    }
    return fields;
  }

  #item(uid: string, name: string, item: PlainObject, within: Within): ExpectedItem {
    const component = this.#componentOf(uid, name, item);
    const { id, __component, ...data } = item;
    const key = expectedKey(component, id);
    const fields = new Map(this.#fields(component, key, data, { ...within, path: `${within.path}/` }));
    addMore(fields, objectAt(within.inItems, within.path));
    return { uid: component, key, fields };
  }

  #componentOf(uid: string, name: string, item: PlainObject): string {
    const given = this.#attribute(uid, name)['component'];
    return String(typeof given === 'string' ? given : item['__component']);
  }

  /** The items of a component or zone; null if the value is anything else. */
  #itemsOf(uid: string, name: string, value: unknown): readonly PlainObject[] | null {
    if (!['component', 'dynamiczone'].includes(String(this.#attribute(uid, name)['type']))) return null;
    const items = (Array.isArray(value) ? value : [value]).filter((item) => (item ?? null) !== null);
    return items.every(isObject) ? items : null;
  }

  /** The attribute in the archive's schemas, or else in the project's. */
  #attribute(uid: string, name: string): PlainObject {
    const own = objectAt(this.#head.schemas.get(uid), name);
    if (own['type'] !== undefined) return own;
    const attribute = modelOf(this.#run.schema, uid)?.attributes.get(name);
    if (attribute?.kind === 'component') return { type: 'component', component: attribute.component };
    return attribute?.kind === 'zone' ? { type: 'dynamiczone' } : {};
  }
}
