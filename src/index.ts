/** Mangrove for scripts: the same content, through the same Document Service as in the server. */

import type { TypedService } from './documents/typed.js';
import type { Documents } from './documents/types.js';
import type { FileInput } from './media/prepare-file.js';
import type { FileEntry, FileInfo } from './media/types.js';
import { openProject, type Project, type ProjectOptions } from './project.js';
import { define } from './project-code/define.js';
import type { ProjectDefinition } from './project-code/types.js';
import type { ModelTypes } from './query-types/model.js';
import type { Schema } from './schema/types.js';
import { startServing as serveProject } from './serve/index.js';
import { stopOnSignal } from './serve/stop-on-signal.js';
import type { Store } from './store/client.js';
import {
  type Change,
  currentPosition,
  type ReadChangesOptions,
  readChanges,
} from './store/outbox/read-changes.js';

export type { DocumentMiddleware, MiddlewareContext } from './documents/middleware.js';
export type {
  CloneParams,
  CreateParams,
  DocumentParams,
  ReadParams,
  UpdateParams,
} from './documents/params.js';
export type { TypedService } from './documents/typed.js';
export type { Answers, DocumentService, Documents, RenderedEntry as Answer } from './documents/types.js';
export { ApiError } from './errors.js';
export type { FileInput } from './media/prepare-file.js';
export type { FileEntry, FileInfo } from './media/types.js';
export type { Migration, MigrationStep, StoredEntry } from './migrate/types.js';
export type {
  DocumentHook,
  Job,
  Mangrove,
  OwnRoute,
  Policy,
  ProjectDefinition,
  ProjectMiddleware,
  RequestCaller,
  RequestTools,
  RequestView,
  RouteContext,
} from './project-code/types.js';

export type { Author, ChangedVersion, ChangeEventName } from './store/outbox/outbox.js';
export type { Change } from './store/outbox/read-changes.js';

/** The types of each content type, by uid. `mangrove types` adds those of the project. */
export interface ContentTypes {
  'plugin::upload.file': {
    entry: FileEntry;
    input: FileInfo;
    links: { related: { any: 'many' } };
    private: never;
  };
}

type ServiceOf<Type> = Type extends ModelTypes ? TypedService<Type> : never;

/** `documents(uid)`, typed for every content type in `ContentTypes`. */
export type TypedDocuments = (<Uid extends keyof ContentTypes>(uid: Uid) => ServiceOf<ContentTypes[Uid]>) &
  Documents;

/**
 * Defines the default export of a project's `src/index.ts`: routes, policies, hooks of the Document Service,
 * jobs, middleware, and what runs before the server listens. See docs/project.md for an example of each.
 * @example
 * export default defineProject({
 *   jobs: { digest: { cron: '0 6 * * *', run: ({ logger }) => logger.info('good morning') } },
 * });
 */
export const defineProject = (
  definition: ProjectDefinition<TypedDocuments>,
): ProjectDefinition<TypedDocuments> => define(definition);

export interface ConnectOptions {
  /** The project's folder, with `content-types/` and `config/`. Defaults to the working directory. */
  readonly root?: string;
  /** A MongoDB deployment. Defaults to the project's configuration, otherwise the embedded engine. */
  readonly uri?: string;
}

export interface ServeOptions extends ConnectOptions {
  /**
   * False: the program handles SIGTERM and SIGINT itself. By default they drain the server and end the
   * process with exit code 0.
   */
  readonly signals?: boolean;
}

export type ChangesOptions = Omit<ReadChangesOptions, 'every'>;

export interface Connection {
  readonly documents: TypedDocuments;
  /**
   * The changes of content as they are committed, by any process: each at least once, those of a document in order.
   * Endless, unless `signal` or `close` ends it. Throws an `ApiError` 400 if the changes after a position are no
   * longer kept.
   * @example
   * for await (const change of changes({ after: saved, uids: ['api::article.article'] })) {
   *   await index(change.documentId, change.locale);
   *   await save(change.position);
   * }
   */
  changes(options?: ChangesOptions): AsyncIterable<Change>;
  /** The `after` of a reader that begins now: content that is read later includes all changes before it. */
  currentPosition(): Promise<string>;
  /**
   * Stores a file, given as a path, buffer or stream, with its name and optional information.
   * @example const { id } = await upload({ path: 'pizza.png', name: 'pizza.png' });
   */
  upload(file: FileInput): Promise<FileEntry>;
  readonly schema: Schema;
  readonly store: Store;
  close(): Promise<void>;
}

/**
 * Opens a project for a script.
 * @example
 * const { documents, close } = await connect({ root: '.' });
 * await documents('api::restaurant.restaurant').create({ data: { name: 'Ann’s' }, status: 'published' });
 * await close();
 */
export async function connect(options: ConnectOptions = {}): Promise<Connection> {
  const project = await openProject(projectOf(options));
  const ending = new AbortController();
  const close = async (): Promise<void> => {
    ending.abort();
    await project.close();
  };
  return { ...connectionTo(project, ending.signal), close };
}

export interface Server extends Connection {
  /** The port it listens on. */
  readonly port: number;
}

/**
 * Starts the server inside your program, which can then wrap every call with `documents.use`. `close` lets
 * running requests end, as SIGTERM and SIGINT do.
 * @example
 * const { documents } = await serve();
 * documents.use(async (context, next) => {
 *   console.log(context.action, context.uid);
 *   return next();
 * });
 */
export async function serve(options: ServeOptions = {}): Promise<Server> {
  const { project, port, stop } = await serveProject(projectOf(options));
  const stopListening = options.signals === false ? () => undefined : stopOnSignal(stop);
  const ending = new AbortController();
  const close = (): Promise<void> => {
    ending.abort();
    return stop().finally(stopListening);
  };
  return { ...connectionTo(project, ending.signal), port, close };
}

const projectOf = ({ root, uri }: ConnectOptions): ProjectOptions => ({
  root: root ?? process.cwd(),
  ...(uri !== undefined && { overrides: { database: { uri } } }),
});

/** @param ending ends the changes that are being read */
const connectionTo = (
  { documents, upload, schema, store }: Project,
  ending: AbortSignal,
): Omit<Connection, 'close'> => ({
  documents: documents as TypedDocuments,
  changes: ({ signal, ...options } = {}) =>
    readChanges(store, { ...options, signal: signal ? AbortSignal.any([signal, ending]) : ending }),
  currentPosition: () => currentPosition(store),
  upload,
  schema,
  store,
});
