import type { Document } from 'bson';
import { fail } from '../errors.js';
import { INDEX_CHANGES, readIndexChange } from '../indexes/index-fields.js';
import { expiryFault } from '../indexes/index-spec.js';
import { type CollectionMeta, type IndexMeta, SYSTEM_VIEWS } from '../storage/catalog.js';
import { equalValues, isNumeric } from '../values/index.js';
import { shellText } from '../values/shell-text.js';
import { currentWork } from '../values/work.js';
import { CHANGED } from './collection-fields.js';
import { checkValidation } from './collection-options.js';
import { existing, refuseSystem } from './collections.js';
import { type Command, collectionName, commit } from './operation.js';
import { checkViewDefinition } from './view-definition.js';

/** The changes that `collMod` makes to an index. Throws InvalidOptions if there are none. */
function readChange(given: Document, version: number): Document {
  const change = readIndexChange(given, { version });
  if ((change['name'] === undefined) === (change['keyPattern'] === undefined)) {
    fail('InvalidOptions', 'Must specify either index name or key pattern.');
  }
  if (INDEX_CHANGES.every((option) => change[option] === undefined)) {
    fail('InvalidOptions', 'no expireAfterSeconds, hidden, unique, or prepareUnique field');
  }
  const seconds = change['expireAfterSeconds'];
  if (seconds !== undefined && !isNumeric(seconds)) {
    fail('TypeMismatch', "BSON field 'collMod.index.expireAfterSeconds' must be a number");
  }
  return change;
}

/** Changes an index's options; the reply lists those that differ, before and after. */
function changeIndex(
  collection: CollectionMeta,
  change: Document,
): { meta: CollectionMeta; reply: Document } {
  const { name, keyPattern } = change;
  const ns = `${collection.db}.${collection.name}`;
  const matches = ({ spec }: IndexMeta): boolean =>
    name === undefined ? equalValues(spec['key'], keyPattern) : spec['name'] === name;
  const [found, other] = collection.indexes.filter(matches);
  if (found === undefined) {
    return fail('IndexNotFound', `cannot find index ${name ?? shellText(keyPattern)} for ns ${ns}`);
  }
  if (other !== undefined) {
    fail(
      'AmbiguousIndexKeyPattern',
      `index keyPattern ${shellText(keyPattern)} matches several indexes of ${ns}`,
    );
  }
  if (change['hidden'] === true && collection.name.startsWith('system.'))
    fail('BadValue', "Can't hide index on system collection");
  if (
    currentWork().version < 6 &&
    change['expireAfterSeconds'] !== undefined &&
    found.spec['expireAfterSeconds'] === undefined
  )
    fail('InvalidOptions', 'no expireAfterSeconds field to update');
  const fault = expiryFault({ ...change, key: found.spec['key'] }, collection);
  if (fault !== undefined) fail('InvalidOptions', fault);
  if (found.spec['name'] === '_id_') fail('BadValue', "can't hide or change the _id index");
  const spec = { ...found.spec };
  const reply: Document = {};
  for (const option of INDEX_CHANGES) {
    const value = change[option];
    if (value === undefined) continue;
    const before = spec[option] ?? (option === 'expireAfterSeconds' ? undefined : false);
    if (equalValues(before ?? null, value)) continue;
    if (before !== undefined) reply[`${option}_old`] = before;
    reply[`${option}_new`] = value;
    spec[option] = value;
    if (value === false) delete spec[option];
  }
  const indexes = collection.indexes.map((index) => (index === found ? { ...index, spec } : index));
  return { meta: { ...collection, indexes }, reply };
}

/** The field that changes a capped collection, and the option that it changes. */
const CAPPED = Object.entries({ cappedSize: 'size', cappedMax: 'max' });

const OF_INDEX = ['index', { of: 'collection' }] as const;

function checkKind(meta: CollectionMeta, body: Document): void {
  if (body['expireAfterSeconds'] !== undefined)
    fail('InvalidOptions', 'expireAfterSeconds is only supported on time-series and clustered collections');
  const isView = meta.options['viewOn'] !== undefined;
  const ns = `${meta.db}.${meta.name}`;
  for (const [option, { of }] of [...CHANGED, OF_INDEX]) {
    if (body[option] === undefined || (of === 'view') === isView) continue;
    fail('InvalidOptions', `option not supported on a ${isView ? 'view' : 'collection'}: ${option} (${ns})`);
  }
}

export const collMod: Command = async (operation) => {
  const { db, body, engine } = operation;
  const name = collectionName(operation);
  const change = body['index'] === undefined ? undefined : readChange(body['index'], engine.settings.version);
  return commit(operation, (batch) => {
    if (name === SYSTEM_VIEWS) refuseSystem(db, name);
    let meta = existing(batch.catalog.get(db, name), `${db}.${name}`);
    checkKind(meta, body);
    batch.exclude(meta);
    const options = { ...meta.options };
    for (const [option] of CHANGED) if (body[option] !== undefined) options[option] = body[option];
    for (const [field, option] of CAPPED) {
      if (body[field] === undefined) continue;
      if (options['capped'] !== true) fail('InvalidOptions', 'Collection must be capped.');
      options[option] = body[field];
    }
    checkValidation(db, name, options);
    checkViewDefinition(batch, db, name, options);
    meta = { ...meta, options };
    let reply: Document = {};
    if (change !== undefined) ({ meta, reply } = changeIndex(meta, change));
    batch.saveCollection(meta);
    return { ...reply, ok: 1 };
  });
};
