/** The same models and rows as an archive of Strapi 4 or 5, or a database of Strapi 3, and what an import makes of them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Schema } from '../../src/schema/types.js';
import { PERMISSION_UID, ROLE_UID } from '../../src/schema/uids.js';
import { openForeign } from '../../src/store/transfer/foreign.js';
import type { ImportReport } from '../../src/transfer/import/report.js';
import { modelOfFiles, planFiles, withoutMissing } from '../../src/transfer/schemas/plan.js';
import { repairFiles } from '../../src/transfer/schemas/repair.js';
import type { ImportSource } from '../../src/transfer/source/types.js';
import { openArchiveSource } from '../../src/transfer/strapi/source.js';
import { openStrapi3Source } from '../../src/transfer/strapi3/source.js';
import { type TestStore, testStore } from './engine.js';
import { fill, model, oid } from './strapi3.js';
import { importAll, targetIn, writeArchive } from './transfer.js';

type Raw = Readonly<Record<string, unknown>>;

/** A content type, or a component if its name has a dot. */
export interface SourceModel {
  readonly name: string;
  /** The uid of a built-in type. */
  readonly uid?: string;
  readonly attributes: Readonly<Record<string, Raw>>;
  readonly localized?: boolean;
  readonly draftAndPublish?: boolean;
  readonly options?: Raw;
  /** The data of its entries; components are within their entries. */
  readonly rows?: readonly Raw[];
}

export const VERSIONS = [3, 4, 5] as const;
export type Version = (typeof VERSIONS)[number];

const isComponent = ({ name }: SourceModel): boolean => name.includes('.');
export const uidOf = (model: SourceModel): string =>
  model.uid ?? (isComponent(model) ? model.name : `api::${model.name}.${model.name}`);

/** The uid in Strapi 3. */
const oldUidOf = (model: SourceModel): string =>
  uidOf(model)
    .replace(/^api::/, 'application::')
    .replace(/^plugin::/, 'plugins::');

const creator = { type: 'relation', relation: 'oneToOne', target: 'admin::user', configurable: false };
const DATE = '2022-01-02T00:00:00.000Z';

/** The attributes that Strapi adds to a type, as exports have them. */
const automatic = (
  uid: string,
  { localized = false, draftAndPublish = false }: SourceModel,
  version: 4 | 5,
) => ({
  createdAt: { type: 'datetime' },
  updatedAt: { type: 'datetime' },
  ...((version === 5 || draftAndPublish) && {
    publishedAt: { type: 'datetime', configurable: false, writable: true, visible: version === 5 },
  }),
  createdBy: creator,
  updatedBy: creator,
  ...((version === 5 || localized) && {
    locale: { writable: true, private: !localized, configurable: false, visible: false, type: 'string' },
    localizations: {
      type: 'relation',
      relation: 'oneToMany',
      target: uid,
      writable: false,
      private: !localized,
      configurable: false,
    },
  }),
});

/** A line of `schemas`. */
export function schemaLine(model: SourceModel, version: 4 | 5): Raw {
  const uid = uidOf(model);
  const { name, attributes, localized = false, draftAndPublish = false, options } = model;
  if (isComponent(model))
    return { uid, modelType: 'component', info: { displayName: name }, options, attributes };
  return {
    uid,
    modelType: 'contentType',
    kind: 'collectionType',
    collectionName: `${name}s`,
    info: { singularName: name, pluralName: `${name}s`, displayName: name },
    options: { draftAndPublish, ...options },
    pluginOptions: { i18n: { localized } },
    attributes: { ...attributes, ...automatic(uid, model, version) },
  };
}

/** A built-in type, which every export has. */
const FILES: SourceModel = { name: 'file', attributes: { name: { type: 'string' } } };

/** A role and its actions by their names in Strapi 4 and 5. */
export interface SourceRole {
  readonly type: string;
  readonly actions: readonly string[];
}

export interface SourceAccess {
  readonly roles?: readonly SourceRole[];
  /** The advanced settings of users-permissions. */
  readonly settings?: unknown;
}

const ADVANCED = 'plugin_users-permissions_advanced';

/** The lines of an archive for roles and settings. */
function accessLines({ roles = [], settings }: SourceAccess, version: 4 | 5) {
  const documentId = (name: string) => (version === 5 ? { documentId: name.padEnd(24, 'z') } : {});
  const granted = roles.flatMap(({ actions }, at) => actions.map((action) => ({ action, role: at + 1 })));
  return {
    entities: [
      ...roles.map(({ type }, at) => ({
        type: ROLE_UID,
        id: at + 1,
        data: { name: type, type, ...documentId(`role${at}`) },
      })),
      ...granted.map(({ action }, at) => ({
        type: PERMISSION_UID,
        id: at + 1,
        data: { action, ...documentId(`permission${at}`) },
      })),
    ],
    links: granted.map(({ role }, at) => ({
      kind: 'relation.basic',
      relation: 'manyToOne',
      left: { type: PERMISSION_UID, ref: at + 1, field: 'role' },
      right: { type: ROLE_UID, ref: role, field: 'permissions' },
    })),
    configuration:
      settings === undefined
        ? []
        : [{ type: 'core-store', value: { id: 1, key: ADVANCED, value: settings, type: 'object' } }],
  };
}

const ROLE_MODEL = model('plugins::users-permissions.role', {
  collectionName: 'users-permissions_role',
  kind: 'collectionType',
  info: { name: 'role' },
  attributes: { name: { type: 'string' }, description: { type: 'string' }, type: { type: 'string' } },
});

/** The documents of Strapi 3 for roles and settings; it stores every action, enabled or not. */
function accessDocuments({ roles = [], settings }: SourceAccess) {
  const all = [...new Set(roles.flatMap(({ actions }) => actions))];
  return {
    settings: settings === undefined ? [] : [{ key: ADVANCED, value: JSON.stringify(settings) }],
    'users-permissions_role': roles.map(({ type }, at) => ({ _id: oid(900 + at), name: type, type })),
    'users-permissions_permission': roles.flatMap(({ actions }, at) =>
      all.map((name, number) => {
        const [, type = '', controller = '', action = ''] =
          /^\w+::([\w-]+)\.([\w-]+)\.(\w+)$/.exec(name) ?? [];
        const ofApi = name.startsWith('api::');
        return {
          _id: oid(1000 + 100 * at + number),
          role: oid(900 + at),
          type: ofApi ? 'application' : type,
          controller: controller === 'content-api' ? 'upload' : controller.toLowerCase(),
          action: action.toLowerCase(),
          enabled: actions.includes(name),
          policy: '',
        };
      }),
    ),
  };
}

function archiveOf(models: readonly SourceModel[], version: 4 | 5, access: SourceAccess) {
  const { entities, ...lines } = accessLines(access, version);
  const file = { ...schemaLine(FILES, version), uid: 'plugin::upload.file', plugin: 'upload' };
  return {
    metadata: { strapi: { version: version === 4 ? '4.26.1' : '5.54.0' } },
    schemas: [file, ...models.map((model) => schemaLine(model, version))],
    ...lines,
    entities: [
      ...entities,
      ...models.flatMap((model) =>
        (model.rows ?? []).flatMap((data, at) =>
          // A published entry of Strapi 5 has a draft in another row.
          (version === 5 && model.draftAndPublish ? [DATE, null] : [DATE]).map((publishedAt, draft) => ({
            type: uidOf(model),
            id: at + 1 + 1000 * draft,
            data: {
              createdAt: DATE,
              updatedAt: DATE,
              ...((version === 5 || model.draftAndPublish) && { publishedAt }),
              ...(version === 5 && { documentId: `${model.name}${at}`.padEnd(24, 'a'), locale: null }),
              ...data,
            },
          })),
        ),
      ),
    ],
  };
}

/** Components in rows are left out: Strapi 3 has them in collections of their own. */
function databaseOf(
  models: readonly SourceModel[],
  access: SourceAccess,
): Readonly<Record<string, readonly Raw[]>> {
  const definitions = models.map((model) => {
    const { name, attributes, localized, draftAndPublish = false, options } = model;
    const uid = oldUidOf(model);
    const content = {
      uid,
      collectionName: `${name.replace('.', '_')}s`,
      kind: 'collectionType',
      info: { name },
      options: { timestamps: ['createdAt', 'updatedAt'], draftAndPublish, ...options },
      pluginOptions: { i18n: { localized } },
      attributes: {
        ...attributes,
        ...(localized && { locale: { type: 'string' }, localizations: { collection: name } }),
        ...(draftAndPublish && { published_at: { type: 'datetime' } }),
      },
    };
    return { key: `model_def_${uid}`, value: JSON.stringify(content) };
  });
  const entries = models.flatMap(({ name, rows = [] }) =>
    rows.length === 0
      ? []
      : [
          [
            `${name}s`,
            rows.map((row, at) => ({ _id: oid(at + 1), createdAt: new Date(DATE), ...row })),
          ] as const,
        ],
  );
  const { settings, ...roles } = accessDocuments(access);
  return {
    core_store: [...definitions, ROLE_MODEL, ...settings],
    ...(access.roles && roles),
    ...Object.fromEntries(entries),
  };
}

/** Opens models and rows as a source of that version; `database` is created for Strapi 3. */
export async function openSource(
  version: Version,
  models: readonly SourceModel[],
  {
    opened,
    folder,
    database,
    access = {},
  }: {
    readonly opened: TestStore;
    readonly folder: string;
    readonly database: string;
    readonly access?: SourceAccess;
  },
): Promise<ImportSource> {
  if (version !== 3)
    return openArchiveSource(
      await writeArchive(join(folder, 'archive'), archiveOf(models, version, access)),
      null,
    );
  await fill(opened.uri, database, databaseOf(models, access));
  return openStrapi3Source(await openForeign(opened.uri, database), { publicDir: null });
}

/** The schema that the files written by an import have. */
export const schemaFrom = async (source: ImportSource): Promise<Schema> =>
  modelOfFiles(repairFiles(planFiles(withoutMissing(await source.schemas()))).files);

export interface Imported {
  readonly schema: Schema;
  readonly report: ImportReport;
  /** What was reported, as `what  at: why`. */
  readonly messages: readonly string[];
  readonly opened: TestStore;
  /** The stored entries of a collection, by id. */
  rows(collection: string): Promise<readonly Raw[]>;
  close(): Promise<void>;
}

/** Imports models and rows from a version of Strapi into an empty database, with the schemas of the source. */
export async function importedFrom(version: Version, models: readonly SourceModel[]): Promise<Imported> {
  const folder = await mkdtemp(join(tmpdir(), 'mangrove-source-'));
  const opened = await testStore();
  const database = `${opened.name}_old`;
  const source = await openSource(version, models, { opened, folder, database });
  const schema = await schemaFrom(source);
  const report = await importAll(source, targetIn(opened.store, schema, folder), { verify: true });
  return {
    schema,
    report,
    messages: report.problems.map(({ what, at, why }) => `${what}  ${at}: ${why}`),
    opened,
    rows: async (collection) => opened.store.db.collection(collection).find({}).sort({ id: 1 }).toArray(),
    close: async () => {
      await source.close();
      await opened.store.client.db(database).dropDatabase();
      await opened.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
