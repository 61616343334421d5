import { type Document, Long } from 'bson';
import { fail } from '../errors.js';
import { compileFields } from '../options/read-fields.js';
import { insertRecord, prepareDocument } from '../records/records.js';
import { encodeDocument } from '../storage/encode.js';
import { trimCapped } from './capped.js';
import { collectionForWrite } from './collections.js';
import { deleteStatement } from './delete.js';
import { BULK_STATEMENTS } from './fields.js';
import { type Command, checkName, splitName, write } from './operation.js';
import { checkBatch, checkUpdate, documentList, updateOf, type Writing } from './statements.js';
import { updateStatement } from './update.js';
import { validateDocument } from './validate-document.js';
import { runStatements } from './write-errors.js';

/** The result of one statement, as an element of the response's cursor, and its contribution to the totals. */
interface Result {
  readonly shown: Document;
  readonly counts: Readonly<Partial<Record<Counter, number>>>;
}

const COUNTERS = ['nInserted', 'nMatched', 'nModified', 'nUpserted', 'nDeleted'] as const;
type Counter = (typeof COUNTERS)[number];

type Run = (writing: Writing, statement: Document) => Result;

function insertOne({ view, db, name, validates }: Writing, { document: given }: Document): Result {
  const collection = collectionForWrite(view, db, name);
  const { bytes, document } = prepareDocument(encodeDocument(given));
  if (validates) validateDocument(collection, document);
  trimCapped(view, insertRecord(view, collection, bytes, document).collection);
  return { shown: { n: 1 }, counts: { nInserted: 1 } };
}

function updateSome(writing: Writing, given: Document): Result {
  const { filter, updateMods, constants, multi, upsert } = given;
  const statement = { ...given, c: constants, u: updateMods };
  checkUpdate(statement);
  const update = updateOf(updateMods);
  const done = updateStatement(writing, {
    filter,
    update,
    multi: multi === true,
    upsert: upsert === true,
    given: statement,
  });
  const { n, nModified, upserted } = done;
  return {
    shown: { n, nModified, ...(upserted && { upserted }) },
    counts: upserted ? { nUpserted: 1 } : { nMatched: n, nModified },
  };
}

function deleteSome(writing: Writing, given: Document): Result {
  const limit = given['multi'] === true ? undefined : 1;
  const n = deleteStatement(writing, { filter: given['filter'], limit, given });
  return { shown: { n }, counts: { nDeleted: n } };
}

const RUNS: Readonly<Record<keyof typeof BULK_STATEMENTS, Run>> = {
  insert: insertOne,
  update: updateSome,
  delete: deleteSome,
};

type Kind = keyof typeof RUNS;

const isKind = (name: string | undefined): name is Kind => name !== undefined && Object.hasOwn(RUNS, name);

const READERS = {
  insert: compileFields(BULK_STATEMENTS.insert, { context: 'bulkWrite.ops' }),
  update: compileFields(BULK_STATEMENTS.update, { context: 'bulkWrite.ops' }),
  delete: compileFields(BULK_STATEMENTS.delete, { context: 'bulkWrite.ops' }),
};

interface Namespace {
  readonly db: string;
  readonly name: string;
}

function namespaceOf({ ns }: Document): Namespace {
  const [db, name] = splitName(ns);
  checkName(db, name);
  return { db, name };
}

interface Statement {
  readonly kind: Kind;
  readonly given: Document;
  readonly namespace: Namespace;
}

function statementOf(given: Document, namespaces: readonly Namespace[]): Statement {
  const [kind] = Object.keys(given);
  if (!isKind(kind)) return fail('FailedToParse', `BSON field 'bulkWrite.ops.${kind}' is an unknown field.`);
  const read = READERS[kind](given);
  const namespace = namespaces[read[kind]];
  if (namespace === undefined)
    return fail('BadValue', `BulkWrite ops entry ${read[kind]} has an invalid nsInfo index.`);
  return { kind, given: read, namespace };
}

/**
 * Writes to several collections with one command, which MongoDB supports since 8.0. `atomic` is an extension: all statements are
 * one commit, or none is applied; if one fails or finds nothing to change, the whole command fails.
 */
export const bulkWrite: Command = async (operation) => {
  const { body, meter, engine } = operation;
  const namespaces = documentList(operation, 'nsInfo').map(namespaceOf);
  const given = documentList(operation, 'ops');
  checkBatch(operation, given.length);
  const statements = given.map((op) => statementOf(op, namespaces));
  const variables = body['let'] as Document | undefined;
  const isAtomic = body['atomic'] === true;
  const shared = {
    meter,
    columns: engine.columns,
    variables,
    validates: body['bypassDocumentValidation'] !== true,
  };
  return write(operation, (view) => {
    const totals = Object.fromEntries(COUNTERS.map((name) => [name, 0])) as Record<Counter, number>;
    const results: Document[] = [];
    const run = (idx: number): void => {
      const { kind, given: statement, namespace } = statements[idx] as Statement;
      const { shown, counts } = RUNS[kind]({ view, ...shared, ...namespace }, statement);
      if (isAtomic && shown['n'] === 0) fail('NoMatchingDocument', `Statement ${idx} matches no document`);
      for (const name of COUNTERS) totals[name] += counts[name] ?? 0;
      results.push({ ok: 1, idx, ...shown });
    };
    // An error thrown here undoes what the previous statements wrote.
    if (isAtomic) for (const idx of statements.keys()) run(idx);
    const errors = (isAtomic ? [] : runStatements(operation, statements.length, run)).map(
      ({ index, ...error }) => ({ ok: 0, idx: index, ...error, n: 0 }),
    );
    const shown = body['errorsOnly'] === true ? errors : [...results, ...errors].sort(byPlace);
    const cursor = { id: Long.ZERO, firstBatch: shown, ns: 'admin.$cmd.bulkWrite' };
    return { cursor, nErrors: errors.length, ...totals, ok: 1 };
  });
};

const byPlace = (a: Document, b: Document): number => a['idx'] - b['idx'];
