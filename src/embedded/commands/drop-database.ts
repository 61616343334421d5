import { type Command, commit } from './operation.js';

export const dropDatabase: Command = async (operation) => {
  const { db } = operation;
  return commit(operation, (batch) => {
    for (const meta of batch.catalog.list(db)) {
      batch.dropCollection(meta);
      batch.log({ type: 'drop', db, collection: meta.name });
    }
    batch.log({ type: 'dropDatabase', db });
    return { dropped: db, ok: 1 };
  });
};
