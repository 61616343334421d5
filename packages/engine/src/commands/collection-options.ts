import type { Document } from 'bson';
import { fail } from '../errors.js';
import { checkIdFields } from '../indexes/index-fields.js';
import { compileFilter } from '../matching/index.js';
import { storedCollation } from '../options/collation.js';
import { compileFields } from '../options/read-fields.js';
import { equalValues, isDocument } from '../values/index.js';
import { shellText } from '../values/shell-text.js';
import { KEPT } from './collection-fields.js';
import { OWN_DATABASES } from './collections.js';
import type { Operation } from './operation.js';

/** Storage engines whose options are accepted; they are stored but not used. */
const STORAGE_ENGINES = new Set(['lmdb', 'wiredTiger']);

function checkStorageEngine(given: Document | undefined): void {
  for (const [engine, options] of Object.entries(given ?? {})) {
    if (!isDocument(options)) fail('BadValue', `'storageEngine.${engine}' has to be an embedded document.`);
    if (!STORAGE_ENGINES.has(engine)) refuse(`${engine} is not a registered storage engine for this server`);
  }
}

const readIndexDefaults = compileFields(
  { storageEngine: 'object' },
  { context: 'create.indexOptionDefaults' },
);

const refuse = (reason: string): never => fail('InvalidOptions', reason);

const ENCRYPTION = new Set(['encrypt', 'encryptMetadata']);

/** Whether a validator's schema says, at any depth, that values are encrypted by clients. */
function asksEncryption(value: unknown, within = false): boolean {
  if (Array.isArray(value)) return value.some((item) => asksEncryption(item, within));
  if (!isDocument(value)) return false;
  return Object.entries(value).some(
    ([name, inner]) =>
      (within && ENCRYPTION.has(name)) || asksEncryption(inner, within || name === '$jsonSchema'),
  );
}

const isLax = ({ validationLevel }: Document): boolean =>
  validationLevel !== undefined && validationLevel !== 'strict';

/** Checks a validator and adds the defaults of the related options. Throws if it cannot be compiled. */
export function checkValidation(db: string, name: string, options: Document): void {
  const { validator } = options;
  if (validator === undefined) return;
  if (OWN_DATABASES.has(db)) {
    refuse(`Document validators are not allowed on collections in the ${db} database`);
  }
  if (name.startsWith('system.'))
    refuse(`Document validators not allowed on system collection ${db}.${name}`);
  compileFilter(validator);
  if (asksEncryption(validator) && (isLax(options) || options['validationAction'] === 'warn'))
    fail(
      'QueryFeatureNotAllowed',
      'Validators that ask for encryption need the validationAction error and the validationLevel strict',
    );
  options['validationLevel'] ??= 'strict';
  options['validationAction'] ??= 'error';
}

function checkCapped({ capped, size, max }: Document): void {
  if (capped === true) {
    if (size === undefined) refuse("the 'size' field is required when 'capped' is true");
    return;
  }
  if (size !== undefined || max !== undefined) {
    refuse("the 'capped' field needs to be true when either the 'size' or 'max' fields are present");
  }
}

function checkIdIndex(given: Document | undefined, options: Document): void {
  if (given === undefined) return;
  const { key, name, collation } = given;
  if (key === undefined || name === undefined) {
    fail('FailedToParse', "An _id index specification needs the fields 'key' and 'name'");
  }
  if (name !== '_id_') fail('BadValue', `The field 'name' for an _id index must be '_id_', but got ${name}`);
  if (!equalValues(key, { _id: 1 })) {
    fail('BadValue', `The field 'key' for an _id index must be {_id: 1}, but got ${shellText(key)}`);
  }
  checkIdFields(given);
  if (
    collation !== undefined &&
    !equalValues(storedCollation(collation) ?? null, options['collation'] ?? null)
  ) {
    fail('BadValue', "'idIndex' must have the same collation as the collection.");
  }
}

/** The options of `create` as they are stored and listed. Throws for options that cannot be combined. */
export function readCollectionOptions({ body, db }: Operation, name: string): Document {
  if (body['timeseries'] !== undefined) {
    fail('NotImplemented', 'time series are not supported by this engine');
  }
  const isView = body['viewOn'] !== undefined;
  const options: Document = {};
  for (const [option, { of }] of KEPT) {
    const value = body[option];
    if (value === undefined || value === false) continue;
    if (isView && of === 'collection') refuse(`The option '${option}' is not supported on a view`);
    options[option] = value;
  }
  if (!isView && body['pipeline'] !== undefined) refuse("'pipeline' requires 'viewOn' to also be specified");
  if (isView && body['viewOn'] === '') fail('BadValue', "'viewOn' cannot be empty");
  if (isView) options['pipeline'] ??= [];
  if (body['autoIndexId'] !== undefined && body['idIndex'] !== undefined)
    refuse("'autoIndexId' is not allowed with 'idIndex'");
  if (isView && body['idIndex'] !== undefined) refuse("'idIndex' is not allowed with 'viewOn'");
  if (body['autoIndexId'] === false)
    refuse(
      db === 'local'
        ? 'collections without an index on _id are not supported by this engine'
        : 'autoIndexId:false is not allowed for collections in non-local databases',
    );
  checkCapped(options);
  checkStorageEngine(options['storageEngine']);
  if (options['indexOptionDefaults'] !== undefined)
    checkStorageEngine(readIndexDefaults(options['indexOptionDefaults'])['storageEngine']);
  const collation = storedCollation(options['collation']);
  if (collation === undefined) delete options['collation'];
  else options['collation'] = collation;
  checkIdIndex(body['idIndex'], options);
  checkValidation(db, name, options);
  return options;
}
