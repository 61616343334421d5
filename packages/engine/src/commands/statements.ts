import type { Document } from 'bson';
import { fail } from '../errors.js';
import { NOT_IN_UPSERTS, refuseConditions } from '../matching/refuse-conditions.js';
import { compileFields, type FieldReader } from '../options/read-fields.js';
import type { Meter } from '../planner/meter.js';
import type { Query } from '../planner/plan.js';
import { encodeDocument } from '../storage/encode.js';
import type { Writable } from '../storage/view.js';
import { type CompiledUpdate, compileStatement } from '../update/index.js';
import { type Collation, decodeDocument, isDocument } from '../values/index.js';
import { toDouble } from '../values/numbers.js';
import { DELETE_STATEMENT, UPDATE_STATEMENT } from './fields.js';
import type { Operation } from './operation.js';

/** Where a statement writes, and the options of its command. */
export interface Writing {
  readonly view: Writable;
  readonly db: string;
  readonly name: string;
  readonly meter: Meter;
  readonly columns: Query['columns'];
  readonly variables: Document | undefined;
  /** Documents are checked by the collection's validator. */
  readonly validates: boolean;
}

/** Rejects a write command with no statements or too many. */
export function checkBatch({ engine }: Operation, count: number): void {
  const most = engine.settings.limits.writeBatch;
  if (count > 0 && count <= most) return;
  fail('InvalidLength', `Write batch sizes must be between 1 and ${most}. Got ${count} operations.`);
}

/** The value of a list that drivers send next to the body of a command; 40414 if missing. */
function given<T>(
  { body, sequences, command }: Operation,
  member: string,
  ofBytes: (bytes: Buffer) => T,
  ofDocument: (document: Document) => T,
): readonly T[] {
  return (
    sequences.get(member)?.map(ofBytes) ??
    (body[member] as Document[] | undefined)?.map(ofDocument) ??
    fail(40414, `BSON field '${command}.${member}' is missing but a required field`)
  );
}

/** A list of documents in a command. Throws 40414 if it is missing. */
export const documentList = (operation: Operation, member: string): readonly Document[] =>
  given(
    operation,
    member,
    (bytes) => decodeDocument(bytes),
    (document) => document,
  );

function statementsOf(operation: Operation, member: string, read: FieldReader): readonly Document[] {
  const given = documentList(operation, member);
  checkBatch(operation, given.length);
  return given.map((statement) => read(statement));
}

/** The documents of an insert, as bytes. */
export function documentsOf(operation: Operation): readonly Buffer[] {
  const documents = given(
    operation,
    'documents',
    (bytes) => bytes,
    (document) => encodeDocument(document),
  );
  checkBatch(operation, documents.length);
  return documents;
}

/** The `u` of a statement: a document or a pipeline. Throws FailedToParse. */
export function updateOf(u: unknown): Document | Document[] {
  if (isDocument(u) || (Array.isArray(u) && u.every(isDocument))) return u as Document | Document[];
  return fail('FailedToParse', 'Update argument must be either an object or an array');
}

/** One statement of an update. */
export interface UpdateStatement {
  readonly filter: Document;
  readonly update: Document | Document[];
  readonly multi: boolean;
  readonly upsert: boolean;
  /** The statement itself, for its less common fields. */
  readonly given: Document;
}

const readUpdate = compileFields(UPDATE_STATEMENT, { context: 'update.updates' });

/** What an upsert inserts if the client sends it with the update: the constant `new`. */
function checkSupplied({ upsertSupplied, upsert, c }: Document): void {
  if (upsertSupplied !== true) return;
  if (upsert !== true) fail('FailedToParse', "Cannot specify 'upsertSupplied: true' without 'upsert: true'");
  if (!isDocument(c?.['new']))
    fail('FailedToParse', "The constant 'new' must be an object where 'upsertSupplied' is true");
}

/** Throws for fields of an update statement that cannot be combined. */
export function checkUpdate(given: Document): void {
  if (given['c'] !== undefined && !Array.isArray(given['u']))
    fail(51198, 'Constant values may only be specified for pipeline updates');
  checkSupplied(given);
}

/** The statements of an update. Throws for an unknown field, or a value of another type. */
export const updatesOf = (operation: Operation): readonly UpdateStatement[] =>
  statementsOf(operation, 'updates', readUpdate).map((given) => {
    checkUpdate(given);
    return {
      filter: given['q'],
      update: updateOf(given['u']),
      multi: given['multi'] === true,
      upsert: given['upsert'] === true,
      given,
    };
  });

/** A statement ready to be applied. Throws MongoDB's code for a malformed update. */
export function compiledUpdate(
  { filter, update, upsert, given }: UpdateStatement,
  collation: Collation | undefined,
  variables: Document | undefined,
): CompiledUpdate {
  if (upsert) refuseConditions(filter, NOT_IN_UPSERTS);
  const compiled = compileStatement(update, {
    filter,
    arrayFilters: given['arrayFilters'],
    collation,
    variables,
  });
  if (given['upsertSupplied'] !== true) return compiled;
  return { ...compiled, insert: compileStatement(given['c']['new'], { filter }).insert };
}

/** One statement of a delete. */
export interface DeleteStatement {
  readonly filter: Document;
  readonly limit: 1 | undefined;
  readonly given: Document;
}

const readDelete = compileFields(DELETE_STATEMENT, { context: 'delete.deletes' });

function limitOf(limit: unknown): 1 | undefined {
  const number = toDouble(limit);
  if (number === 0) return undefined;
  if (number === 1) return 1;
  return fail('FailedToParse', `The limit field in delete objects must be 0 or 1. Got ${String(limit)}`);
}

/** The statements of a delete. Throws as for updates. */
export const deletesOf = (operation: Operation): readonly DeleteStatement[] =>
  statementsOf(operation, 'deletes', readDelete).map((given) => ({
    filter: given['q'],
    limit: limitOf(given['limit']),
    given,
  }));
