import { fail } from '../errors.js';
import { SYSTEM_VIEWS, viewsAmong } from '../storage/catalog.js';
import { type Command, collectionName, commit } from './operation.js';

export const drop: Command = async (operation) => {
  const { db, engine } = operation;
  const name = collectionName(operation);
  return commit(operation, (batch) => {
    const meta = batch.catalog.get(db, name);
    // Since MongoDB 7.0 dropping a missing collection succeeds.
    if (meta === undefined && engine.settings.version >= 7) return { ok: 1 };
    if (meta === undefined) return fail('NamespaceNotFound', 'ns not found');
    // Dropping the definitions drops all views.
    for (const each of name === SYSTEM_VIEWS ? viewsAmong(batch.catalog.list(db)) : [meta]) {
      batch.dropCollection(each);
      batch.log({ type: 'drop', db, collection: each.name });
    }
    return { nIndexesWas: meta.indexes.length, ns: `${db}.${name}`, ok: 1 };
  });
};
