import type { Config } from '../config/types.js';
import type { Reader } from '../documents/read/reader.js';
import type { RecordEvent } from '../events/events.js';
import type { Schema } from '../schema/types.js';
import type { Store } from '../store/client.js';

/** What webhooks work with. */
export interface WebhookParts {
  readonly config: Pick<Config, 'webhooks'>;
  readonly schema: Schema;
  readonly store: Pick<Store, 'db'>;
  readonly reader: Reader;
  readonly record: RecordEvent;
}
