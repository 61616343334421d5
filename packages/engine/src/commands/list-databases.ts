import { compileFilter } from '../matching/index.js';
import { OWN_DATABASES } from './collections.js';
import { type Command, read } from './operation.js';
import { documentOf } from './query-options.js';

export const listDatabases: Command = (operation) => {
  const { body } = operation;
  const test = compileFilter(documentOf(body, 'filter'));
  const stored = read(operation, (reader) => reader.catalog.list()).map((meta) => meta.db);
  const names = new Set([...OWN_DATABASES, ...stored]);
  const databases = [...names]
    .sort()
    .map((name) => ({ name, sizeOnDisk: 4096, empty: false }))
    .filter((entry) => test(entry));
  if (body['nameOnly'] === true) return { databases: databases.map(({ name }) => ({ name })) };
  return { databases, totalSize: 4096 * databases.length, totalSizeMb: 0 };
};
