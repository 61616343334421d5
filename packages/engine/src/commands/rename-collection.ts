import { fail } from '../errors.js';
import { refuseSystem, refuseView } from './collections.js';
import { type Command, checkName, commit, splitName } from './operation.js';

export const renameCollection: Command = async (operation) => {
  const { body, engine } = operation;
  const [fromDb, fromName] = splitName(body['renameCollection']);
  const [toDb, toName] = splitName(body['to']);
  if (toName.includes('$'))
    fail('IllegalOperation', `Error with target namespace: a collection name cannot hold '$': ${toName}`);
  checkName(toDb, toName);
  for (const [db, name] of [
    [fromDb, fromName],
    [toDb, toName],
  ] as const)
    refuseSystem(db, name);
  const table = await commit(operation, (batch) => {
    const meta =
      batch.catalog.get(fromDb, fromName) ??
      fail('NamespaceNotFound', `Source collection ${fromDb}.${fromName} does not exist`);
    refuseView(meta);
    if (fromDb === toDb && fromName === toName)
      fail('IllegalOperation', "Can't rename a collection to itself");
    batch.exclude(meta);
    const target = batch.catalog.get(toDb, toName);
    if (target !== undefined && body['dropTarget'] !== true)
      fail('NamespaceExists', 'target namespace exists');
    if (target !== undefined) {
      refuseView(target);
      batch.dropCollection(target);
    }
    batch.catalog.remove(fromDb, fromName);
    const { temp: _, ...lasting } = meta.options;
    const options = body['stayTemp'] === true ? meta.options : lasting;
    batch.saveCollection({ ...meta, db: toDb, name: toName, options });
    batch.log({ type: 'rename', db: fromDb, collection: fromName, body: { to: { db: toDb, coll: toName } } });
    return meta.table;
  });
  engine.cursors.noteGone(new Map([[table, 'collection renamed']]));
  return { ok: 1 };
};
