import { fail } from '../errors.js';
import { type Command, commit } from './operation.js';

export const dropDatabase: Command = async (operation) => {
  const { db, name, body } = operation;
  if (Number(body[name]) !== 1) fail(5255100, "Have to pass 1 as 'dropDatabase' parameter");
  return commit(operation, (batch) => {
    const found = batch.catalog.list(db);
    if (found.length === 0) return { ok: 1 };
    for (const meta of found) {
      batch.dropCollection(meta);
      batch.log({ type: 'drop', db, collection: meta.name });
    }
    batch.log({ type: 'dropDatabase', db });
    return { dropped: db, ok: 1 };
  });
};
