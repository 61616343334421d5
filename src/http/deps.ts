import type { Access } from '../access/index.js';
import type { Config } from '../config/types.js';
import type { Reader } from '../documents/read/reader.js';
import type { Documents } from '../documents/types.js';
import type { EventLog } from '../events/event-log.js';
import type { Live } from '../live/index.js';
import type { Media } from '../media/types.js';
import type { OwnCode } from '../project-code/types.js';
import type { Schema } from '../schema/types.js';
import type { Store } from '../store/client.js';
import type { ProjectCode } from '../strapi/open.js';

/** What the route tables are built from: everything known without a database. */
export type RouteParts = Pick<AppDeps, 'config' | 'schema' | 'code'> & {
  readonly own: Pick<OwnCode, 'definition'>;
};

/** Whether requests would be served now: false while draining or without a database. */
export type Readiness = () => Promise<boolean>;

/** What the routes need; created in `serve/index.ts`. */
export interface AppDeps {
  readonly config: Config;
  readonly schema: Schema;
  readonly store: Store;
  readonly documents: Documents;
  readonly reader: Reader;
  readonly access: Access;
  readonly media: Media;
  readonly events: EventLog;
  readonly live: Live;
  readonly ready: Readiness;
  /** The code of a Strapi project. */
  readonly code: ProjectCode;
  /** The project's `src/index`, written for Mangrove. */
  readonly own: OwnCode;
}
