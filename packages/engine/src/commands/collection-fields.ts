import type { FieldRule } from '../options/read-fields.js';

/** An option of `create`: its type, and how it is used. */
export interface CollectionOption extends FieldRule {
  /** What may have the option and stores it; if absent, it is not stored. */
  readonly of?: 'collection' | 'view' | 'both';
  /** `collMod` may change it. */
  readonly changes?: true;
}

const LEVELS = ['off', 'strict', 'moderate'];
const ACTIONS = ['warn', 'error'];

/**
 * The options of a collection or a view, according to MongoDB's interface definition; they are stored and listed in this order.
 */
export const COLLECTION_OPTIONS: Readonly<Record<string, CollectionOption>> = {
  capped: { type: 'boolean or number', unstable: true, of: 'collection' },
  temp: { type: 'boolean or number', unstable: true, of: 'collection' },
  size: { type: 'long', min: 0, unstable: true, of: 'collection' },
  max: { type: 'long', unstable: true, of: 'collection' },
  collation: { type: 'object', of: 'both' },
  validator: { type: 'object', of: 'collection', changes: true },
  validationLevel: { type: 'string', oneOf: LEVELS, of: 'collection', changes: true },
  validationAction: { type: 'string', oneOf: ACTIONS, of: 'collection', changes: true },
  viewOn: { type: 'string', of: 'view', changes: true },
  pipeline: { type: 'objects', of: 'view', changes: true },
  expireAfterSeconds: { type: 'long', min: 0, of: 'collection' },
  clusteredIndex: { type: 'any', since: 5.3, of: 'collection' },
  changeStreamPreAndPostImages: { type: 'object', since: 6, of: 'collection', changes: true },
  storageEngine: { type: 'object', unstable: true, of: 'collection' },
  indexOptionDefaults: { type: 'object', unstable: true, of: 'collection' },
  autoIndexId: { type: 'boolean or number', unstable: true },
  idIndex: { type: 'object' },
  timeseries: { type: 'object' },
  recordPreImages: { type: 'bool' },
  flags: { type: 'long', unstable: true },
  encryptedFields: { type: 'object' },
};

const OPTIONS = Object.entries(COLLECTION_OPTIONS);

/** The options that a collection or a view stores, and for which of them. */
export const KEPT = OPTIONS.filter(([, { of }]) => of !== undefined);

/** The options that `collMod` changes. */
export const CHANGED = OPTIONS.filter(([, { changes }]) => changes === true);
