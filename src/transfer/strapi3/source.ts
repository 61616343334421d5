import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { FILE_UID } from '../../schema/uids.js';
import type { ForeignDatabase } from '../../store/transfer/foreign.js';
import { isObject } from '../../values/plain-object.js';
import { ACCOUNT_SETTINGS, accountSettings } from '../source/account-settings.js';
import {
  type ImportProblem,
  type ImportSource,
  lost,
  moved,
  noted,
  type SourceEntry,
  type SourceFile,
  type SourceKey,
  type SourceRecord,
} from '../source/types.js';
import { makeContext, type Strapi3 } from './context.js';
import { readType } from './entries.js';
import { EXTRA_FIELDS_KEY } from './fields.js';
import { readGrants } from './grants.js';
import { type Definitions, readDefinitions } from './models.js';
import { referenceText, type Seen } from './references.js';
import { schemasOf } from './schemas.js';

const LOCALES = 'i18n_locales';

interface Strapi3Options {
  /** The folder that contains `uploads/`; null: files are not imported. */
  readonly publicDir: string | null;
  /** Adds models that are not in the database, such as those of a project's settings files. */
  readonly definitions?: (found: Definitions) => Promise<Definitions>;
  /** Attributes that the project's configuration makes private in every type; null if unknown. */
  readonly privateAttributes?: readonly string[] | null;
}

/**
 * Opens a database of Strapi 3 (with its MongoDB connector) for reading: models from `core_store`, entries
 * with their components from their collections, users, roles and their permissions.
 * @throws ImportError if it is not such a database
 */
export async function openStrapi3Source(
  database: ForeignDatabase,
  options: Strapi3Options,
): Promise<ImportSource> {
  const found = await readDefinitions(database);
  const { privateAttributes = null } = options;
  const definitions = await (options.definitions?.(found) ?? found);
  const context = makeContext(database, withPrivate(definitions, privateAttributes ?? []));
  const { schemas, problems } = schemasOf(context);
  const there = await database.collections();
  const total = await countAll(context, there);
  // Files are not counted beforehand.
  let done: number | null = null;
  const records = async function* (): AsyncGenerator<SourceRecord> {
    done = 0;
    const seen: Seen = new Map();
    const files = options.publicDir === null ? await missingFiles(context, there) : [];
    yield* [...problems, ...privacyProblems(privateAttributes), ...files].map(noted);
    yield* readLocales(context);
    const advanced = definitions.settings.get(ACCOUNT_SETTINGS);
    if (advanced !== undefined) yield* accountSettings(advanced);
    for (const type of context.types)
      for await (const record of readType(context, type, seen)) {
        if (record.kind === 'entry') done = (done ?? 0) + 1;
        yield record;
      }
    yield* readGrants(context);
    yield* (await leftBehind(context, there, seen)).map(noted);
  };
  return {
    name: `Strapi 3, ${database.name}`,
    fingerprint: createHash('sha256')
      .update(JSON.stringify([database.name, schemas, total]))
      .digest('hex'),
    extraFieldsKey: EXTRA_FIELDS_KEY,
    raw: { kind: 'strapi3', database, publicDir: options.publicDir },
    schemas: async () => schemas,
    records,
    entries: async function* (): AsyncGenerator<SourceEntry> {
      for await (const record of records()) if (record.kind === 'entry') yield record.entry;
    },
    files: () => {
      done = null;
      return readFiles(context, options.publicDir);
    },
    documentIdOf: ({ ref }: SourceKey) => ref,
    progress: () =>
      total === 0 || done === null
        ? null
        : { share: Math.min(1, done / total), entries: { read: done, total: Math.max(done, total) } },
    close: () => database.close(),
  };
}

/** Makes these attributes private in every model. */
const withPrivate = (found: Definitions, names: readonly string[]): Definitions => ({
  ...found,
  models: found.models.map((model) => ({
    ...model,
    privateAttributes: [...new Set([...model.privateAttributes, ...names])],
  })),
});

/** The files of a project that was not given. */
async function missingFiles(
  { database, types }: Strapi3,
  there: readonly string[],
): Promise<readonly ImportProblem[]> {
  const collection = types.find(({ uid }) => uid === FILE_UID)?.model.collection ?? '';
  const count = there.includes(collection) ? await database.count(collection) : 0;
  if (count === 0) return [];
  const why = `${count} files are imported without their bytes, which are in the project: give its folder with --project`;
  return [lost('file', 'public/uploads', why)];
}

function privacyProblems(names: readonly string[] | null): readonly ImportProblem[] {
  const setting = 'responses.privateAttributes';
  if (names === null)
    return [
      lost(
        'setting',
        setting,
        'not known: if the old config/api sets it, set it in the config/api of this project',
      ),
    ];
  if (names.length === 0) return [];
  const why = `${names.join(', ')} are private in the schema files; set it in config/api for new types`;
  return [moved('setting', setting, why)];
}

async function countAll({ database, types }: Strapi3, there: readonly string[]): Promise<number> {
  let total = 0;
  for (const { model } of types)
    if (there.includes(model.collection)) total += await database.count(model.collection);
  return total;
}

async function* readLocales({ database, definitions }: Strapi3): AsyncGenerator<SourceRecord> {
  const code = definitions.settings.get('plugin_i18n_default_locale');
  if (typeof code === 'string') yield { kind: 'defaultLocale', code };
  for await (const row of database.all(LOCALES)) {
    const date = (name: string): Date | null => (row[name] instanceof Date ? row[name] : null);
    yield {
      kind: 'locale',
      locale: {
        id: null,
        documentId: referenceText(row['_id']),
        code: String(row['code']),
        name: typeof row['name'] === 'string' ? row['name'] : null,
        createdAt: date('createdAt'),
        updatedAt: date('updatedAt'),
      },
    };
  }
}

/** The originals and formats of files stored by the local provider. */
async function* readFiles(
  { database, types }: Strapi3,
  publicDir: string | null,
): AsyncGenerator<SourceFile> {
  const type = types.find(({ uid }) => uid === FILE_UID);
  if (publicDir === null || !type) return;
  for await (const row of database.all(type.model.collection)) {
    const formats = isObject(row['formats']) ? Object.values(row['formats']) : [];
    for (const { hash, ext } of [row, ...formats.filter(isObject)]) {
      const key = `${String(hash)}${String(ext)}`;
      const path = join(publicDir, 'uploads', key);
      if (!/[\\/]/.test(key) && existsSync(path)) yield { key, bytes: createReadStream(path) };
    }
  }
}

/**
 * What is not imported: removed types, components in no entry, unrelated collections, settings,
 * administrators.
 */
async function leftBehind(
  context: Strapi3,
  there: readonly string[],
  seen: Seen,
): Promise<readonly ImportProblem[]> {
  const { database, definitions, components } = context;
  const problems: ImportProblem[] = [];
  const note = (what: ImportProblem['what'], at: string, why: string): void => {
    problems.push(lost(what, at, why));
  };
  const countOf = async (collection: string): Promise<number> =>
    there.includes(collection) ? database.count(collection) : 0;
  for (const { model } of components.values()) {
    if (!there.includes(model.collection)) continue;
    for await (const ref of orphans(database, model.collection, seen))
      note('component', `${model.uid} ${ref}`, `no entry uses it; it remains in ${model.collection}`);
  }
  for (const { uid, collection, isComponent } of definitions.removed) {
    const what = isComponent ? 'component' : 'type';
    const count = await countOf(collection);
    note(
      'schema',
      uid,
      `the ${what} was removed from the project; ${count} documents remain in ${collection}`,
    );
  }
  const known = new Set([...definitions.models, ...definitions.removed].map(({ collection }) => collection));
  for (const name of there)
    if (!known.has(name) && name !== 'core_store')
      note('schema', name, `no model has this collection; ${await countOf(name)} documents are not imported`);
  for (const { uid, collection } of definitions.models) {
    const isOurs = uid.startsWith('strapi::') || !uid.includes('::') || OWN.has(uid);
    if (isOurs || context.types.some((type) => type.model.uid === uid)) continue;
    const count = await countOf(collection);
    if (count > 0)
      note('schema', uid, `Mangrove does not have this type; ${count} documents remain in ${collection}`);
  }
  if (there.includes(ADMINISTRATORS))
    note(
      'user',
      ADMINISTRATORS,
      `${await countOf(ADMINISTRATORS)} administrators and their roles are not imported`,
    );
  const webhooks = await countOf(WEBHOOKS);
  if (webhooks > 0) note('setting', WEBHOOKS, `${webhooks} webhooks are not imported`);
  for (const [key, value] of definitions.settings)
    if (/^plugin_(users-permissions_(grant|email)|upload_settings)$/.test(key) && isObject(value))
      note('setting', key, `to be set in config/plugins: ${settingText(key, value)}`);
  return problems;
}

const ADMINISTRATORS = 'strapi_administrator';
const WEBHOOKS = 'strapi_webhooks';

/** Types that are imported in another form. */
const OWN = new Set(['plugins::users-permissions.permission', 'plugins::i18n.locale']);

/** The values of settings without secrets; otherwise only the names. */
const settingText = (key: string, value: Readonly<Record<string, unknown>>): string =>
  key.endsWith('settings') ? JSON.stringify(value) : Object.keys(value).join(', ');

/** The components in a collection that no entry contains. */
async function* orphans(database: ForeignDatabase, collection: string, seen: Seen): AsyncGenerator<string> {
  const held = seen.get(collection);
  for await (const { _id: id } of database.all(collection))
    if (!held?.has(referenceText(id))) yield referenceText(id);
}
