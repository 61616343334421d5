import type { Document } from 'bson';
import { fail } from '../errors.js';
import { compileFilter } from '../matching/index.js';
import type { CollectionMeta } from '../storage/catalog.js';
import { existing } from './collections.js';
import { type Command, collectionName, commit } from './operation.js';

const OPTIONS = [
  'validator',
  'validationLevel',
  'validationAction',
  'viewOn',
  'pipeline',
  'changeStreamPreAndPostImages',
];
const INDEX_OPTIONS = ['hidden', 'expireAfterSeconds', 'prepareUnique', 'unique'];

function changeIndex(collection: CollectionMeta, change: Document): CollectionMeta {
  const text = JSON.stringify(change['keyPattern']);
  const matches = (spec: Document): boolean =>
    change['name'] === undefined ? JSON.stringify(spec['key']) === text : spec['name'] === change['name'];
  if (!collection.indexes.some((index) => matches(index.spec))) {
    fail(
      'IndexNotFound',
      `cannot find index ${change['name'] ?? text} for ns ${collection.db}.${collection.name}`,
    );
  }
  const indexes = collection.indexes.map((index) => {
    if (!matches(index.spec)) return index;
    const spec = { ...index.spec };
    for (const option of INDEX_OPTIONS) if (change[option] !== undefined) spec[option] = change[option];
    if (spec['hidden'] === false) delete spec['hidden'];
    return { ...index, spec };
  });
  return { ...collection, indexes };
}

export const collMod: Command = async (operation) => {
  const { db, body } = operation;
  const name = collectionName(operation);
  if (body['validator'] !== undefined) compileFilter(body['validator']);
  return commit(operation, (batch) => {
    let meta = existing(batch.catalog.get(db, name), `${db}.${name}`);
    const options = { ...meta.options };
    for (const option of OPTIONS) if (body[option] !== undefined) options[option] = body[option];
    meta = { ...meta, options };
    if (body['index'] !== undefined) meta = changeIndex(meta, body['index']);
    batch.saveCollection(meta);
    return { ok: 1 };
  });
};
