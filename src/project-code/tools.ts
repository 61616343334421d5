import type { Identity } from '../access/index.js';
import type { Config } from '../config/types.js';
import type { Documents } from '../documents/types.js';
import { errors } from '../errors.js';
import type { ProjectLogger } from '../events/event-log.js';
import type { FileInput } from '../media/prepare-file.js';
import type { FileEntry } from '../media/types.js';
import type { Schema } from '../schema/types.js';
import type { Store } from '../store/client.js';
import type { Mangrove, ProjectDefinition, RequestCaller } from './types.js';

interface Parts {
  readonly config: Config;
  readonly schema: Schema;
  readonly store: Store;
  readonly documents: Documents;
  readonly logger: ProjectLogger;
  upload(file: FileInput): Promise<FileEntry>;
}

/** What the project's code receives. */
export const toolsOf = ({ config, schema, store, documents, logger, upload }: Parts): Mangrove => ({
  config,
  schema,
  documents,
  logger,
  upload,
  db: store.content.client.db(store.content.name),
  refuse: (status, message) => {
    throw errors.ofProject(status, message);
  },
});

export const requestCaller = (identity: Identity): RequestCaller => {
  if (identity.kind === 'user') return { kind: 'user', id: identity.userId };
  if (identity.kind === 'token') return { kind: 'token', name: identity.token.name };
  return { kind: 'public' };
};

/** Registers the project's hooks on the Document Service. */
export const hookDocuments = ({ documents: hooks = [] }: ProjectDefinition, tools: Mangrove): void => {
  for (const { run, actions, uids } of hooks)
    tools.documents.use((context, next) => run(context, next, tools), actions, uids);
};
