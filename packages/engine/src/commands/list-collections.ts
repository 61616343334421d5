import { Binary, type Document } from 'bson';
import { compileFilter } from '../matching/index.js';
import { type CollectionMeta, SYSTEM_VIEWS } from '../storage/catalog.js';
import { firstBatch, listed } from './cursor-reply.js';
import { type Command, read } from './operation.js';
import { batchSizeOf, documentOf } from './query-options.js';

function describe(meta: CollectionMeta): Document {
  const isDefinitions = meta.name === SYSTEM_VIEWS;
  if (meta.options['viewOn'] !== undefined && !isDefinitions) {
    return { name: meta.name, type: 'view', options: meta.options, info: { readOnly: true } };
  }
  return {
    name: meta.name,
    type: 'collection',
    options: isDefinitions ? {} : meta.options,
    info: { readOnly: false, uuid: new Binary(meta.uuid, Binary.SUBTYPE_UUID) },
    idIndex: meta.indexes[0]?.spec,
  };
}

export const listCollections: Command = (operation) => {
  const { engine, db, body, meter } = operation;
  const test = compileFilter(documentOf(body, 'filter'));
  const found = read(operation, ({ catalog }) => [...catalog.list(db), catalog.get(db, SYSTEM_VIEWS)])
    .filter((meta) => meta !== undefined)
    .map(describe)
    .filter((entry) => test(entry));
  const shown = body['nameOnly'] === true ? found.map(({ name, type }) => ({ name, type })) : found;
  const results = listed(`${db}.$cmd.listCollections`, shown, meter);
  return firstBatch(engine, results, { batchSize: batchSizeOf(body) });
};
