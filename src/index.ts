/** Mangrove for scripts: the same content, through the same Document Service as the server's. */
import type { Documents } from './documents/types.js';
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
export type { Answer, Answers, DocumentService, Documents } from './documents/types.js';
export { ApiError } from './errors.js';

export interface ConnectOptions {
  /** The project's folder, with `content-types/` and `config/`. The working directory if absent. */
  readonly root?: string;
  /** A MongoDB deployment. If absent: what the project's configuration says, else the embedded engine. */
  readonly uri?: string;
}

export interface Connection {
  readonly documents: Documents;
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
  const { documents, schema, store, close } = await openProject({
    root: root ?? process.cwd(),
    ...(uri !== undefined && { overrides: { database: { uri } } }),
  });
  return { documents, schema, store, close };
}
