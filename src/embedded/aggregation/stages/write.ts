import type { Document } from 'bson';
import { fail } from '../../errors.js';
import { type Cell, extendScope } from '../../expressions/scope.js';
import { unpaced } from '../../values/pace.js';
import { member } from '../../values/paths.js';
import { isDocument } from '../../values/types.js';
import type { CollectionAccess } from '../context.js';
import { type CompileStage, runStages, type StageScope } from '../stage.js';

interface Target {
  readonly name: string;
  readonly database: string | undefined;
}

function targetOf(operand: unknown, stage: string): Target {
  if (typeof operand === 'string') return { name: operand, database: undefined };
  if (isDocument(operand) && typeof operand['coll'] === 'string')
    return { name: operand['coll'], database: operand['db'] };
  return fail('FailedToParse', `${stage} needs a collection: a string or {db, coll}`);
}

const access = ({ context }: StageScope, { name, database }: Target): CollectionAccess =>
  context.collection(name, database);

/** A stream of no documents that does something when it is read. */
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
  const variables = isDocument(spec['let']) ? spec['let'] : { new: '$$ROOT' };
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
  replace: (old, document) => ({ ...document, _id: old['_id'] }),
  merge: (old, document) => ({ ...old, ...document, _id: old['_id'] }),
  keepExisting: () => undefined,
  fail: () => fail('DuplicateKey', '$merge found a matching document with whenMatched: fail'),
};

const merge: CompileStage = (operand, within) => {
  const spec: Document =
    typeof operand === 'string'
      ? { into: operand }
      : isDocument(operand)
        ? operand
        : fail(51182, '$merge requires a string or object argument');
  const target = targetOf(spec['into'], '$merge');
  const { on = '_id', whenMatched = 'merge', whenNotMatched = 'insert' } = spec;
  const fields: string[] = Array.isArray(on) ? on : [on];
  const combine = Array.isArray(whenMatched)
    ? mergeByPipeline(whenMatched, spec, within)
    : (MERGES[String(whenMatched)] ??
      fail('BadValue', `Enumeration value '${whenMatched}' for field 'whenMatched' is not a valid value.`));
  if (!['insert', 'discard', 'fail'].includes(whenNotMatched)) {
    fail(
      'BadValue',
      `Enumeration value '${whenNotMatched}' for field 'whenNotMatched' is not a valid value.`,
    );
  }
  const put = (collection: CollectionAccess, document: Document): void => {
    const filter = Object.fromEntries(
      fields.map((field) => [field, { $eq: member(document, field) ?? null }]),
    );
    const [old] = unpaced(collection.find({ filter, limit: 1 }));
    if (old === undefined) {
      if (whenNotMatched === 'fail')
        fail(13113, '$merge could not find a matching document in the target collection');
      if (whenNotMatched === 'insert') collection.insertMany?.([document]);
      return;
    }
    const changed = combine(old, document);
    if (changed !== undefined) collection.replaceOne?.(old['_id'], changed);
  };
  return {
    run: (source) =>
      lastly(() => {
        const collection = access(within, target);
        for (const document of [...unpaced(source)]) put(collection, document);
      }),
  };
};

/** Stages that write. */
export const WRITE: Readonly<Record<string, CompileStage>> = { $out: out, $merge: merge };
