import type { Schema } from '../schema/types.js';
import type { Caller } from './read-plan.js';
import type { QuerySettings } from './settings.js';

/** What a query is held against, at every step: the model, who asks, and the settings. */
export interface QueryScope {
  readonly schema: Schema;
  readonly caller: Caller;
  readonly settings: QuerySettings;
}
