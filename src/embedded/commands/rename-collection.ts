import { fail } from '../errors.js';
import { existing } from './collections.js';
import { type Command, checkName, commit } from './operation.js';

const split = (ns: unknown): [string, string] => {
  const text = String(ns);
  const dot = text.indexOf('.');
  if (dot <= 0) return fail('InvalidNamespace', `Invalid namespace specified '${text}'`);
  return [text.slice(0, dot), text.slice(dot + 1)];
};

export const renameCollection: Command = async (operation) => {
  const { body } = operation;
  const [fromDb, fromName] = split(body['renameCollection']);
  const [toDb, toName] = split(body['to']);
  checkName(toDb, toName);
  return commit(operation, (batch) => {
    const meta =
      batch.catalog.get(fromDb, fromName) ??
      fail('NamespaceNotFound', `Source collection ${fromDb}.${fromName} does not exist`);
    const target = batch.catalog.get(toDb, toName);
    if (target !== undefined && body['dropTarget'] !== true)
      fail('NamespaceExists', 'target namespace exists');
    if (target !== undefined) batch.dropCollection(target);
    batch.catalog.remove(fromDb, fromName);
    batch.saveCollection({ ...existing(meta, fromName), db: toDb, name: toName });
    batch.log({ type: 'rename', db: fromDb, collection: fromName, body: { to: { db: toDb, coll: toName } } });
    return { ok: 1 };
  });
};
