import type { Access } from '../access/index.js';
import type { Config } from '../config/types.js';
import type { Reader } from '../documents/read/reader.js';
import type { Documents } from '../documents/types.js';
import type { ProjectLogger } from '../events/event-log.js';
import type { RecordEvent } from '../events/events.js';
import type { Media } from '../media/types.js';
import type { Schema } from '../schema/types.js';
import type { CodeValues } from '../store/code-values.js';
import type { UnsupportedRoutes } from '../store/unsupported-routes.js';

/** What a project's code works with once the database is open. */
export interface Live {
  readonly config: Config;
  readonly schema: Schema;
  readonly documents: Documents;
  readonly reader: Reader;
  readonly access: Access;
  readonly logger: ProjectLogger;
  readonly record: RecordEvent;
  readonly values: CodeValues;
  readonly unsupported: UnsupportedRoutes;
  readonly media: Media;
  /** The stored locales. */
  locales(): Promise<readonly object[]>;
}
