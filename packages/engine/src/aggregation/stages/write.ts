import { calculateObjectSize, type Document, ObjectId } from 'bson';
import { EngineError, endsCommand, fail, PartlyWritten } from '../../errors.js';
import { type Members, readMembers, saying } from '../../expressions/operator.js';
import { type Cell, extendScope } from '../../expressions/scope.js';
import { equalValues } from '../../values/compare.js';
import { MAX_DOCUMENT_BYTES } from '../../values/document-size.js';
import { unpaced } from '../../values/pace.js';
import { isReferenceMember, valueAt } from '../../values/paths.js';
import { isDocument, isNullish } from '../../values/types.js';
import type { CollectionAccess } from '../context.js';
import { type CompileStage, runStages, type StageScope } from '../stage.js';
import { notInUpdates } from '../stage-rules.js';

interface Target {
  readonly name: string;
  readonly database: string | undefined;
}

function targetOf(operand: unknown, stage: string): Target {
  if (typeof operand === 'string') return { name: operand, database: undefined };
  if (isDocument(operand) && typeof operand['coll'] === 'string')
    return { name: operand['coll'], database: operand['db'] };
  const code = isDocument(operand) ? 'FailedToParse' : stage === '$out' ? 16990 : 51178;
  return fail(code, `${stage} needs a collection: a string or {db, coll}`);
}

const access = ({ context }: StageScope, { name, database }: Target): CollectionAccess =>
  context.collection(name, { database });

/** A stream without documents that performs an action when it is read. */
function* lastly(act: () => void): Generator<Document> {
  act();
  yield* [];
}

const out: CompileStage = (operand, within) => {
  const target = targetOf(operand, '$out');
  return {
    run: (source) =>
      lastly(() => {
        const collection = access(within, target);
        if (collection.replaceAll === undefined) fail('IllegalOperation', '$out is not allowed here');
        collection.replaceAll?.([...unpaced(source)]);
      }),
  };
};

type Merge = (old: Document, document: Document) => Document | undefined;

function mergeByPipeline(
  stages: readonly Document[],
  spec: Document,
  { scope, pipeline }: StageScope,
): Merge {
  const odd = notInUpdates(stages);
  if (odd !== undefined) fail('InvalidOptions', `${odd} is not allowed to be used within an update`);
  const given: Document = spec['let'] ?? {};
  if ('new' in given && given['new'] !== '$$ROOT')
    fail(51273, "'let' may not specify a value for the reserved 'new' variable other than '$$ROOT'");
  const variables = { new: '$$ROOT', ...given };
  const inputs = Object.values(variables).map((value) => scope.compile(value));
  const { scope: inner, cells } = extendScope(scope, Object.keys(variables));
  const compiled = pipeline(stages, inner);
  return (old, document) => {
    cells.forEach((cell: Cell, i) => {
      cell.value = inputs[i]?.(document);
    });
    return [...unpaced(runStages([old], compiled))][0];
  };
}

const MERGES: Readonly<Record<string, Merge>> = {
  replace: (old, document) => ({ _id: old['_id'], ...document }),
  merge: (old, document) => ({ ...old, ...document }),
  keepExisting: () => undefined,
  fail: () =>
    fail(
      'DuplicateKey',
      "$merge with whenMatched: fail found an existing document with the same values for the 'on' fields",
    ),
};

/** What may be done with documents without a match, by what is done with the others. */
const NOT_MATCHED: Readonly<Record<string, readonly string[]>> = {
  replace: ['insert', 'fail', 'discard'],
  merge: ['insert', 'fail', 'discard'],
  pipeline: ['insert', 'fail', 'discard'],
  keepExisting: ['insert'],
  fail: ['insert'],
};

/** The fields by which documents match. Throws 51186, 51187, 51134 or 31465. */
function onOf(on: unknown): readonly string[] {
  if (typeof on === 'string') return [on];
  if (!Array.isArray(on))
    return fail(51186, "$merge 'on' field must be either a string or an array of strings");
  if (on.length === 0) fail(51187, "If explicitly specifying $merge 'on', must include at least one field");
  if (on.some((field) => typeof field !== 'string'))
    fail(51134, "$merge 'on' array elements must be strings");
  if (new Set(on).size < on.length) fail(31465, "Found a duplicate field in $merge 'on'");
  return on;
}

/** The value at a dotted path through documents. Throws 51132 or 51185 if there is none that could be unique. */
function uniqueValueAt(document: Document, path: string): unknown {
  const value = valueAt(document, path);
  if (isNullish(value))
    return fail(51132, "$merge write error: 'on' field cannot be missing, null or undefined");
  if (Array.isArray(value)) return fail(51185, "$merge write error: 'on' field cannot be an array");
  return value;
}

const UNKNOWN = "BSON field '$op.$key' is an unknown field.";
const MERGE: Members = {
  object: saying(51182, '$op requires a string or object argument'),
  unknown: saying(40415, UNKNOWN),
  required: ['into'],
  missing: saying(40414, "BSON field '$op.$key' is missing but a required field"),
  optional: ['on', 'let', 'whenMatched', 'whenNotMatched'],
};
const INTO: Members = { unknown: saying(40415, UNKNOWN), optional: ['db', 'coll'] };

function readMerge(operand: unknown): Document {
  const spec = readMembers('$merge', typeof operand === 'string' ? { into: operand } : operand, MERGE);
  if (isDocument(spec['into'])) readMembers('into', spec['into'], INTO);
  return spec;
}

const invalid = (field: string, value: unknown): never =>
  fail('BadValue', `Enumeration value '${String(value)}' for field '${field}' is not a valid value.`);

function checkModes(spec: Document): { matched: string; notMatched: string } {
  const { whenMatched = 'merge', whenNotMatched: notMatched = 'insert' } = spec;
  const matched = Array.isArray(whenMatched) ? 'pipeline' : String(whenMatched);
  if (!Array.isArray(whenMatched) && !Object.hasOwn(MERGES, matched)) invalid('whenMatched', whenMatched);
  if (!['insert', 'discard', 'fail'].includes(notMatched)) invalid('whenNotMatched', notMatched);
  if (NOT_MATCHED[matched]?.includes(notMatched) !== true) {
    fail(
      51181,
      `Combination of {whenMatched: ${matched}} and {whenNotMatched: ${notMatched}} is not supported`,
    );
  }
  if (spec['let'] !== undefined && matched !== 'pipeline') {
    fail(51199, `Cannot use 'let' variables with 'whenMatched: ${matched}' mode`);
  }
  return { matched, notMatched };
}

/** Throws DollarPrefixedFieldName for a document that may be inserted, but not replace another. */
function checkReplacement(document: Document): void {
  const odd = Object.keys(document).find((name) => name.startsWith('$') && !isReferenceMember(name));
  if (odd !== undefined)
    fail('DollarPrefixedFieldName', `The dollar ($) prefixed field '${odd}' is not allowed in a replacement`);
}

const merge: CompileStage = (operand, within) => {
  const spec = readMerge(operand);
  const target = targetOf(spec['into'], '$merge');
  const fields = onOf(spec['on'] ?? '_id');
  const { matched, notMatched } = checkModes(spec);
  const combine =
    matched === 'pipeline' ? mergeByPipeline(spec['whenMatched'], spec, within) : (MERGES[matched] as Merge);
  const prepare = (given: Document): Prepared => {
    const isNew = given['_id'] === undefined && fields.includes('_id');
    const document = isNew ? { _id: new ObjectId(), ...given } : given;
    const by = fields.map((field) => [field, { $eq: uniqueValueAt(document, field) }]);
    return { document, filter: Object.fromEntries(by) };
  };
  const put = (collection: CollectionAccess, { document, filter }: Prepared): void => {
    const [old] = unpaced(collection.find({ filter, limit: 1 }));
    if (old === undefined) {
      if (notMatched === 'fail')
        fail(13113, '$merge could not find a matching document in the target collection');
      if (notMatched === 'insert') collection.insertMany?.([document]);
      return;
    }
    const combined = combine(old, document);
    if (combined === undefined) return;
    if (matched !== 'pipeline') checkReplacement(document);
    const changed = '_id' in combined ? combined : { _id: old['_id'], ...combined };
    if (!equalValues(changed['_id'], old['_id'])) {
      fail(
        'ImmutableField',
        '$merge failed to update the matching document, did you attempt to modify the _id or the shard key?',
      );
    }
    collection.replaceOne?.(old['_id'], changed);
  };
  return {
    run: (source) =>
      lastly(() => {
        const collection = access(within, target);
        if (collection.isUniqueOn?.(fields) === false) {
          fail(51183, 'Cannot find index to verify that join fields will be unique');
        }
        // What cannot be merged at all is rejected before the first write.
        const documents = [...unpaced(source)].map(prepare);
        putAll(documents, (document) => put(collection, document));
      }),
  };
};

/** A document to merge, and the filter for the one that it matches. */
interface Prepared {
  readonly document: Document;
  readonly filter: Document;
}

const duplicate = ({ message, details }: EngineError): EngineError =>
  new EngineError(
    'DuplicateKey',
    `$merge failed due to a DuplicateKey error :: caused by :: ${message}`,
    details,
  );

/** Where the batch with a document ends: up to 16 MB are written at once. */
function batchEnd(documents: readonly Prepared[], failed: number): number {
  let bytes = 0;
  return documents.findIndex(({ document }, i) => {
    const size = calculateObjectSize(document);
    const isFull = bytes + size > MAX_DOCUMENT_BYTES;
    bytes = isFull ? size : bytes + size;
    return isFull && i > failed;
  });
}

/** Merges each document; failures do not stop the others of their batch, as in an unordered write. */
function putAll(documents: readonly Prepared[], put: (document: Prepared) => void): void {
  let first: EngineError | undefined;
  let end = -1;
  for (const [i, document] of documents.entries()) {
    if (i === end) break;
    try {
      put(document);
    } catch (error) {
      if (!(error instanceof EngineError) || endsCommand(error)) throw error;
      if (first === undefined) end = batchEnd(documents, i);
      first ??= error;
    }
  }
  if (first === undefined) return;
  throw new PartlyWritten(first.codeName === 'DuplicateKey' ? duplicate(first) : first);
}

/** Stages that write. */
export const WRITE: Readonly<Record<string, CompileStage>> = { $out: out, $merge: merge };
