import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { FILE_UID } from '../../schema/uids.js';
import type { ForeignDocument } from '../../store/transfer/foreign.js';
import { inLists } from '../../values/group.js';
import { objectAt } from '../../values/plain-object.js';
import type { Import } from '../run/context.js';
import { wantsType } from '../source/selection.js';
import type { RawSource, SourceFile } from '../source/types.js';
import { privacyFindings } from './access.js';
import {
  type CheckedItem,
  type Expected,
  type ExpectedFields,
  type ExpectedItem,
  type ExpectedRow,
  type ExpectedSource,
  expectedKey,
} from './expected.js';
import { strapi3Access } from './strapi3-access.js';
import { fetchItems, type ItemDocuments } from './strapi3-items.js';
import { asList, idTextOf, isId, type RawModel, type RawModels, readModels } from './strapi3-models.js';

export type RawStrapi3Source = Extract<RawSource, { kind: 'strapi3' }>;

const BATCH = 200;

/** Reads a database of Strapi 3 document by document. */
export const readStrapi3 = (run: Import, raw: RawStrapi3Source): ExpectedSource => ({
  rows: () => readRows(run, raw),
  others: () => readOthers(run, raw),
  files: () => readFiles(run, raw),
});

async function* readRows(
  run: Import,
  { database }: RawStrapi3Source,
): AsyncGenerator<readonly ExpectedRow[]> {
  const models = await readModels(database, run.schema);
  for (const model of models.types) {
    if (model.uid === null || !wantsType(run.selection, model.uid)) continue;
    for await (const documents of inLists(database.all(model.collection), BATCH)) {
      const items = await fetchItems(database, models, { model, documents });
      yield documents.map((document) => new DocumentReader(models, items).row(model, document));
    }
  }
}

/** Types of the project that Mangrove does not have, permissions, settings and private attributes. */
async function* readOthers(run: Import, { database }: RawStrapi3Source): AsyncGenerator<CheckedItem> {
  const models = await readModels(database, run.schema);
  yield* strapi3Access(run, database, models);
  for (const { uid, hidden } of models.all) if (uid !== null) yield* privacyFindings(run, uid, hidden);
  for (const { uid, name } of models.types)
    if (uid === null && name.startsWith('application::'))
      yield { at: name, missing: 'Mangrove has no such type' };
}

async function* readFiles(
  run: Import,
  { database, publicDir }: RawStrapi3Source,
): AsyncGenerator<SourceFile> {
  if (publicDir === null) return;
  const { types } = await readModels(database, run.schema);
  for (const { uid, collection } of types) {
    if (uid !== FILE_UID) continue;
    for await (const row of database.all(collection))
      for (const one of [row, ...Object.values(objectAt(row, 'formats'))]) {
        const { hash, ext } = objectAt(one);
        const key = `${String(hash)}${String(ext)}`;
        const path = join(publicDir, 'uploads', key);
        if (!/[\\/]/.test(key) && existsSync(path)) yield { key, bytes: createReadStream(path) };
      }
  }
}

/** Fields without content of their own: the links of files are those of the entries that refer to them. */
const WITHOUT_CONTENT = new Set(['_id', 'id', '__v', 'created_by', 'updated_by']);

class DocumentReader {
  readonly #models: RawModels;
  readonly #items: ItemDocuments;

  constructor(models: RawModels, items: ItemDocuments) {
    this.#models = models;
    this.#items = items;
  }

  row(model: RawModel, document: ForeignDocument): ExpectedRow {
    const uid = String(model.uid);
    const ref = String(document['_id']);
    const [created = '', updated = ''] = model.timestamps;
    const live = document['published_at'];
    const { localized, draftAndPublish } = model;
    const own = new Set([
      ...(uid === FILE_UID ? ['related'] : []),
      ...model.timestamps,
      ...(draftAndPublish ? ['published_at'] : []),
      ...(localized ? ['localizations'] : []),
    ]);
    const fields = new Map(this.#fields(model, document, { own, within: [] }));
    for (const [name, value] of [
      ['createdAt', document[created]],
      ['updatedAt', document[updated]],
      ['publishedAt', draftAndPublish ? live : null],
    ] as const)
      if (value instanceof Date) fields.set(name, { kind: 'value', value });
    const siblings = localized ? asList(document['localizations']).map(idTextOf) : [];
    return {
      uid,
      ref,
      key: expectedKey(uid, ref),
      documentId: localized ? null : ref,
      id: null,
      locale: localized && typeof document['locale'] === 'string' ? document['locale'] : null,
      versions: !(live instanceof Date) ? 'draft' : draftAndPublish ? 'both' : 'published',
      siblings: siblings.map((id) => expectedKey(uid, id)),
      fields,
    };
  }

  #fields(
    model: RawModel,
    document: ForeignDocument,
    { own, within }: { readonly own: ReadonlySet<string>; readonly within: readonly ForeignDocument[] },
  ): ExpectedFields {
    const fields = new Map<string, Expected>();
    for (const [name, value] of Object.entries(document))
      if (!own.has(name) && !WITHOUT_CONTENT.has(name))
        fields.set(name, this.#expected(model, name, value, [...within, document]));
    return fields;
  }

  #expected(model: RawModel, name: string, value: unknown, within: readonly ForeignDocument[]): Expected {
    const attribute = objectAt(model.attributes, name);
    const { type } = attribute;
    if (type === 'component' || type === 'dynamiczone') {
      const items = asList(value);
      return { kind: 'items', items: items.map((item) => this.#item(item, within)) };
    }
    if (attribute['model'] === undefined && attribute['collection'] === undefined)
      return { kind: 'value', value };
    const target = this.#models.targetOf(attribute);
    const isAny = attribute['model'] === '*' || attribute['collection'] === '*';
    if (!isAny && target === null) return { kind: 'value', value };
    const given = asList(value).filter((item) => item !== null && item !== undefined);
    const isLink = (item: unknown): boolean => isId(isAny ? objectAt(item)['ref'] : item);
    return {
      kind: 'links',
      others: given.filter((item) => !isLink(item)),
      to: given.filter(isLink).map((item) => ({
        key: isAny ? this.#anyKey(item) : expectedKey(String(target), idTextOf(item)),
        anyLocale: false,
      })),
    };
  }

  /** The key of what a polymorphic reference leads to. */
  #anyKey(item: unknown): string {
    const { kind, ref } = objectAt(item);
    return expectedKey(this.#models.ofKind(String(kind))?.uid ?? String(kind), idTextOf(ref));
  }

  #item(item: unknown, within: readonly ForeignDocument[]): ExpectedItem {
    const { kind, ref } = objectAt(item);
    const model = this.#models.ofKind(String(kind));
    const id = idTextOf(ref);
    const document = model && this.#items.get(`${model.collection} ${id}`);
    const uid = model?.uid ?? String(kind);
    const isThere = model && document && !within.includes(document);
    return {
      uid,
      key: expectedKey(uid, id),
      fields: isThere ? this.#fields(model, document, { own: new Set(), within }) : new Map(),
      ...(!isThere && { missing: true }),
    };
  }
}
