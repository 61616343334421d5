import { type Access, createAccess } from './access/index.js';
import { ConfigError } from './config/error.js';
import { type ConfigOverrides, loadConfig, readVariables } from './config/load.js';
import { invalidSettings, isAccepted } from './config/setting.js';
import { SETTINGS } from './config/settings.js';
import type { Config } from './config/types.js';
import { type Database, openDatabase } from './database.js';
import { createReader } from './documents/read/create-reader.js';
import type { Reader } from './documents/read/reader.js';
import { createDocuments } from './documents/service.js';
import { syncLocales } from './documents/sync-locales.js';
import type { Documents } from './documents/types.js';
import { errors } from './errors.js';
import { type EventLog, type LogSettings, type ProjectLogger, standardErrorLog } from './events/event-log.js';
import { Live } from './live/index.js';
import { createMedia } from './media/index.js';
import type { FileInput } from './media/prepare-file.js';
import { storeFile } from './media/store-file.js';
import type { FileEntry, Media } from './media/types.js';
import { type MigrationMode, passGate } from './migrate/gate.js';
import { loadDefinition } from './project-code/load.js';
import { hookDocuments, toolsOf } from './project-code/tools.js';
import type { OwnCode } from './project-code/types.js';
import { acrossDatabases } from './schema/check/storage.js';
import { SchemaError } from './schema/error.js';
import { type FromCode, loadSchema } from './schema/load.js';
import { withLinksAcrossLocales } from './schema/model/across-locales.js';
import type { Schema } from './schema/types.js';
import { readAccountSettings } from './store/account-settings.js';
import { checkAgreement } from './store/adopted/agreement.js';
import { openStore, type Store } from './store/client.js';
import { codeValues } from './store/code-values.js';
import { ensureIndexes } from './store/indexes/sync.js';
import { isHeldBy } from './store/leases/lock.js';
import { listLocales, readLinksAcrossLocales, readLocaleSettings } from './store/locales.js';
import { openGate } from './store/transfer/gate.js';
import { importLock } from './store/transfer/staging.js';
import { completeSwitch } from './store/transfer/switch-over.js';
import { unsupportedRoutes } from './store/unsupported-routes.js';
import { openCode, type ProjectCode } from './strapi/open.js';

/** An open project, as used by the server, the commands and scripts. */
export interface Project {
  readonly config: Config;
  readonly schema: Schema;
  /** The code of a Strapi project. */
  readonly code: ProjectCode;
  /** The project's own code for Mangrove: `src/index.ts`. */
  readonly own: OwnCode;
  readonly store: Store;
  readonly events: EventLog;
  /** The database's address. */
  readonly databaseUri: string;
  /** The embedded engine belongs to another process. */
  readonly sharesEngine: boolean;
  readonly reader: Reader;
  readonly documents: Documents;
  readonly access: Access;
  readonly media: Media;
  /** Reads nothing until a client opens a stream. */
  readonly live: Live;
  /** Stores a file, for seeds and scripts. */
  upload(file: FileInput): Promise<FileEntry>;
  /** Closes the connections, and the engine if this process started it. */
  close(): Promise<void>;
}

export interface ProjectOptions {
  /** The project's folder, with its schemas and configuration. */
  readonly root: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly overrides?: ConfigOverrides;
  /** The folder of the schemas, if it is not the project's. */
  readonly schemaFolder?: string;
  /** False: `config/roles` only creates missing roles. */
  readonly resetRoles?: boolean;
  /** Receives events and what the project's code logs; defaults to standard error. */
  readonly events?: EventLog;
  /** Mangrove may create its collections in a database that has those of other programs. */
  readonly agreed?: boolean;
  /** What to do if stored content does not match the schema; defaults to `database.migrations`. */
  readonly migrations?: MigrationMode;
  /**
   * The project stays open, as a server: it is not opened on the engine of an import, which ends with that, and first
   * keeps the versions that were stored without Mangrove.
   */
  readonly outlastsImports?: boolean;
}

/** The configuration with the settings of an import that it does not set itself. */
const withStoredSettings = async (store: Store, config: Config): Promise<Config> =>
  withStoredAccounts(store, await withStoredLocales(store, config));

const withStoredAccounts = async (store: Store, config: Config): Promise<Config> => {
  const { advanced, advancedGiven } = config.plugins.usersPermissions;
  const stored = Object.entries(await readAccountSettings(store)).filter(
    ([name]) => !advancedGiven.includes(name),
  );
  const merged = { ...advanced, ...Object.fromEntries(stored) };
  const group = SETTINGS.plugins.usersPermissions.advanced;
  if (!isAccepted(group, merged)) throw new ConfigError(invalidSettings(group, merged));
  const usersPermissions = { ...config.plugins.usersPermissions, advanced: merged };
  return { ...config, plugins: { ...config.plugins, usersPermissions } };
};

const withStoredLocales = async (store: Store, config: Config): Promise<Config> => {
  const stored = config.plugins.i18n.given ? null : await readLocaleSettings(store);
  if (!stored) return config;
  const defaultLocale = stored.defaultLocale ?? config.plugins.i18n.defaultLocale;
  const i18n = { defaultLocale, locales: [...new Set([defaultLocale, ...stored.codes])], given: false };
  return { ...config, plugins: { ...config.plugins, i18n } };
};

/** The schemas and the code of a Strapi project; the code is loaded, but not started. */
export type SchemaAndCode = Pick<Project, 'config' | 'schema' | 'code'>;

/** The content of a project's files. */
export interface ProjectFiles extends SchemaAndCode {
  readonly own: Pick<OwnCode, 'definition'>;
}

export const schemaOf = (
  folder: string,
  { responses, customFields }: Config,
  made: FromCode = {},
): Promise<Schema> =>
  loadSchema({ folder, privateAttributes: responses.privateAttributes, customFields, ...made });

/** The environment in which a project's code runs. */
type Variables = Readonly<Record<string, string | undefined>>;

interface Places {
  readonly schemaFolder?: string;
  readonly env?: Variables;
}

export async function readProject(root: string, config: Config, places?: Places): Promise<ProjectFiles> {
  const files = await readSchemaAndCode(root, config, places);
  return { ...files, own: { definition: await loadDefinition(root, files.schema) } };
}

export async function readSchemaAndCode(
  root: string,
  config: Config,
  { schemaFolder = root, env = process.env }: Places = {},
): Promise<SchemaAndCode> {
  const schema = await schemaOf(schemaFolder, config);
  const variables = await readVariables(root, env);
  const code = await openCode(root, {
    config,
    schema,
    variables,
    pluginRoutes: loadPluginRoutes,
    extended: (made) => schemaOf(schemaFolder, config, made),
  });
  return { config, schema: code.running?.schema ?? schema, code };
}

/** The same with what `register` makes of the schema: as in Strapi, commands run it, too. */
export async function withRegistered<T extends SchemaAndCode>(files: T, logger: ProjectLogger): Promise<T> {
  const { running } = files.code;
  if (!running) return files;
  await running.register(logger);
  return { ...files, schema: running.schema };
}

export const loggingOf = ({ middlewares, environment, server }: Config): LogSettings => ({
  level: middlewares.logger.level,
  production: environment === 'production',
  metrics: server.metrics,
});

/** The built-in routes that an extension of a Strapi project may change. */
async function loadPluginRoutes() {
  const { pluginRoutes } = await import('./http/routes/plugin-routes.js');
  return pluginRoutes;
}

/** Relations between separate databases cannot be followed: no query reaches into another database. */
function checkDatabases({ content }: Store, schema: Schema): void {
  const problems = content.apart ? acrossDatabases(schema) : [];
  if (problems.length > 0) throw new SchemaError(problems);
}

/**
 * Opens a project: config → schemas → database → indexes → services.
 * @throws ConfigError or SchemaError with every problem; MongoError if the database fails
 */
export const openProject = async (options: ProjectOptions): Promise<Project> => {
  const loaded = await loadConfig(options.root, options.env ?? process.env, options.overrides);
  const logging = loggingOf(loaded);
  const events = options.events ?? standardErrorLog(logging);
  events.configure(logging);
  const read = await readProject(options.root, loaded, {
    ...(options.schemaFolder !== undefined && { schemaFolder: options.schemaFolder }),
    ...(options.env && { env: options.env }),
  });
  const files = await withRegistered(read, events.logger);
  const {
    code,
    own: { definition },
  } = files;
  const database = await openDatabase(loaded);
  try {
    const store = await openStore({ ...loaded.database, uri: database.uri, system: database.system });
    try {
      if (options.outlastsImports) await refuseEngineOfImport(database, store, loaded);
      const config = await withStoredSettings(store, loaded);
      const schema = withLinksAcrossLocales(files.schema, await readLinksAcrossLocales(store));
      if (!options.agreed) await checkAgreement(store, schema);
      checkDatabases(store, schema);
      await completeSwitch(store.db);
      await passGate(
        { root: options.root, store, schema, defaultLocale: config.plugins.i18n.defaultLocale },
        options.migrations ?? config.database.migrations,
      );
      await ensureIndexes(store, schema, events.record);
      const gate = openGate(store.db);
      const reader = createReader({ schema, store, config, gate });
      const catchesUp = options.outlastsImports === true;
      const documents = await createDocuments({ schema, store, config, reader, catchesUp });
      await syncLocales(store, config.plugins.i18n.locales);
      const { resetRoles } = options;
      const access = await createAccess({
        config,
        schema,
        store,
        documents,
        record: events.record,
        ...(resetRoles !== undefined && { resetRoles }),
      });
      const media = createMedia({ config, store, documents, record: events.record });
      const live = new Live({ config, store, reader, documents, access, record: events.record });
      const upload = (file: FileInput): Promise<FileEntry> => storeFile(media, file);
      const tools = toolsOf({ config, schema, store, documents, logger: events.logger, upload });
      hookDocuments(definition, tools);
      const { logger, record } = events;
      await code.running?.attach({
        config,
        schema,
        documents,
        reader,
        access,
        logger,
        record,
        values: codeValues(store),
        unsupported: unsupportedRoutes(store),
        media,
        locales: () => listLocales(store),
      });
      const close = async (): Promise<void> => {
        live.close();
        await code.running?.destroy();
        access.close();
        await gate.close();
        await store.close();
        await database.close();
      };
      return {
        config,
        schema,
        code,
        own: { definition, tools },
        store,
        events,
        databaseUri: database.uri,
        sharesEngine: database.sharedWith !== null,
        reader,
        documents,
        access,
        media,
        live,
        upload,
        close,
      };
    } catch (error) {
      await store.close();
      throw error;
    }
  } catch (error) {
    await database.close();
    throw error;
  }
};

/** A server beside an import on the engine of another server loses nothing when the import ends, and is not refused. */
async function refuseEngineOfImport(
  { sharedWith }: Database,
  store: Store,
  { database }: Config,
): Promise<void> {
  if (sharedWith === null || !(await isHeldBy(sharedWith, importLock(store.db)))) return;
  throw errors.application(
    'command-refused',
    `The data in ${database.dataDir} is open in an import, process ${sharedWith}: start again when it has ended`,
  );
}
