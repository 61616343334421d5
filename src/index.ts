/** Mangrove for scripts: the same content, through the same Document Service as the server's. */
import type { TypedService } from './documents/typed.js';
import type { Documents } from './documents/types.js';
import type { FileInput } from './media/prepare-file.js';
import type { FileEntry, FileInfo } from './media/types.js';
import { openProject } from './project.js';
import type { Schema } from './schema/types.js';
import type { Store } from './store/client.js';

export type { DocumentMiddleware, MiddlewareContext } from './documents/middleware.js';
export type {
  CloneParams,
  CreateParams,
  DocumentParams,
  ReadParams,
  UpdateParams,
} from './documents/params.js';
export type { TypedService } from './documents/typed.js';
export type { Answer, Answers, DocumentService, Documents } from './documents/types.js';
export { ApiError } from './errors.js';
export type { FileInput } from './media/prepare-file.js';
export type { FileEntry, FileInfo } from './media/types.js';

/** Entry and input of each content type by uid. `mangrove types` adds the project's own. */
export interface ContentTypes {
  'plugin::upload.file': { entry: FileEntry; input: FileInfo };
}

type ServiceOf<Type> = Type extends { entry: infer Entry; input: infer Input }
  ? TypedService<Entry, Input>
  : never;

/** `documents(uid)`, with the attributes of every type that `ContentTypes` has. */
export type TypedDocuments = (<Uid extends keyof ContentTypes>(uid: Uid) => ServiceOf<ContentTypes[Uid]>) &
  Documents;

export interface ConnectOptions {
  /** The project's folder, with `content-types/` and `config/`. The working directory if absent. */
  readonly root?: string;
  /** A MongoDB deployment. If absent: what the project's configuration says, else the embedded engine. */
  readonly uri?: string;
}

export interface Connection {
  readonly documents: TypedDocuments;
  /** Stores a file: its bytes as a path, a buffer or a stream, its name, and what is to be said of it. */
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
export async function connect({ root, uri }: ConnectOptions = {}): Promise<Connection> {
  const { documents, upload, schema, store, close } = await openProject({
    root: root ?? process.cwd(),
    ...(uri !== undefined && { overrides: { database: { uri } } }),
  });
  return { documents: documents as TypedDocuments, upload, schema, store, close };
}
