import type { Document } from 'bson';
import { fail } from '../errors.js';
import { compileFilter } from '../matching/index.js';
import { equalValues } from '../values/index.js';
import { createCollection } from './collections.js';
import { type Command, collectionName, write } from './operation.js';

/** The options of create that are kept. */
const KEPT = [
  'capped',
  'size',
  'max',
  'collation',
  'validator',
  'validationLevel',
  'validationAction',
  'viewOn',
  'pipeline',
  'expireAfterSeconds',
  'clusteredIndex',
  'changeStreamPreAndPostImages',
];

function optionsOf(body: Document): Document {
  const options: Document = {};
  for (const [name, value] of Object.entries(body)) {
    if (KEPT.includes(name)) options[name] = value;
  }
  if (body['timeseries'] !== undefined)
    fail('NotImplemented', 'time series are not supported by this engine');
  if (options['viewOn'] !== undefined) options['pipeline'] ??= [];
  if (options['validator'] !== undefined) compileFilter(options['validator']);
  if (options['capped'] === true && options['size'] === undefined) {
    fail('InvalidOptions', "the 'size' field is required when 'capped' is true");
  }
  return options;
}

export const create: Command = async (operation) => {
  const { db, body } = operation;
  const name = collectionName(operation);
  const options = optionsOf(body);
  return write(operation, (view) => {
    const known = view.catalog.get(db, name);
    if (known === undefined) createCollection(view, db, name, options);
    else if (!equalValues(known.options, options)) {
      fail('NamespaceExists', `namespace ${db}.${name} already exists, but with different options`);
    }
    return {};
  });
};
