import { fail } from '../errors.js';
import { equalValues } from '../values/index.js';
import { readCollectionOptions } from './collection-options.js';
import { createCollection, refuseSystem } from './collections.js';
import { type Command, collectionName, write } from './operation.js';
import { checkStablePipeline } from './stable-api.js';
import { checkViewDefinition } from './view-definition.js';

export const create: Command = async (operation) => {
  const { db, engine, body, transaction } = operation;
  const name = collectionName(operation);
  checkStablePipeline(body, body['pipeline'] ?? []);
  const options = readCollectionOptions(operation, name);
  if (options['viewOn'] !== undefined) refuseSystem(db, name);
  return write(operation, (view) => {
    const known = view.catalog.get(db, name);
    if (known !== undefined) {
      // Since MongoDB 7.0 creating the same collection again succeeds, outside transactions.
      const repeats = engine.settings.version >= 7 && transaction === undefined;
      if (repeats && equalValues(known.options, options)) return {};
      fail('NamespaceExists', `Collection ${db}.${name} already exists.`);
    }
    checkViewDefinition(view, db, name, options);
    const made = createCollection(view, db, name, options);
    const version = body['idIndex']?.['v'];
    if (version !== undefined)
      view.saveCollection({
        ...made,
        indexes: made.indexes.map((index) => ({ ...index, spec: { ...index.spec, v: version } })),
      });
    return {};
  });
};
