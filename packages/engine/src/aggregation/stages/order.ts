import type { Document } from 'bson';
import { fail } from '../../errors.js';
import { aNumber, argument } from '../../expressions/argument.js';
import { type Members, saying } from '../../expressions/operator.js';
import { isWhole64, toDouble } from '../../values/numbers.js';
import { type Flow, flowOf, forEach, PAUSE } from '../../values/pace.js';
import { compileSort, sortDocuments, sortKeyed, withSortKey } from '../../values/sort-by.js';
import { bsonTypeOf, isDocument, isNumeric } from '../../values/types.js';
import { currentWork, isTurnOver, tick } from '../../values/work.js';
import { type CompileStage, ofMembers, type Stage } from '../stage.js';

/** A number of documents. */
function countOf(operand: unknown, name: string, least: number): number {
  const count = toDouble(operand);
  if (isWhole64(operand) && count >= least) return count;
  if (name === '$limit' && count === 0) return fail(15958, 'the limit must be positive');
  const code = name === '$limit' ? 5107201 : 5107200;
  const what =
    count < 0
      ? 'Expected a non-negative'
      : !isNumeric(operand)
        ? 'Expected a number'
        : Number.isInteger(count)
          ? 'Cannot represent as a 64-bit integer'
          : 'Expected an integer';
  return fail(
    code,
    `invalid argument to ${name} stage: ${what} in: ${name}: ${isNumeric(operand) ? count : bsonTypeOf(operand)}`,
  );
}

/** `$sort`, with the `limit` that the optimizer found after it. */
export const sort: CompileStage = (operand, { scope, keepsKeys }) => {
  const { sort: fields, limit } = operand as { sort: unknown; limit?: number };
  if (!isDocument(fields)) return fail(15973, 'the $sort key specification must be an object');
  if (Object.keys(fields).length === 0) fail(15976, '$sort stage must have at least one sort key');
  const order = compileSort(fields, scope.compare);
  const run = function* run(source: Flow<Document>): Flow<Document> {
    const sorted = yield* sortDocuments(source, order, limit);
    yield* flowOf(keepsKeys ? sorted.map((document) => withSortKey(document, order)) : sorted);
  };
  if (limit !== undefined || keepsKeys) return { run };
  return {
    run,
    *align(documents) {
      const rows = documents.map((document, row) => ({ keys: order.keysOf(document), row }));
      const from = yield* sortKeyed(rows, order);
      return { documents: from.map((i) => documents[i] as Document), from };
    },
  };
};

const limit: CompileStage = (operand, _within, name) => {
  const count = countOf(operand, name, 1);
  return {
    run: function* run(source) {
      let taken = 0;
      for (const document of source) {
        yield document;
        if (document !== PAUSE) taken += 1;
        if (taken >= count) return;
      }
    },
  };
};

const skip: CompileStage = (operand, _within, name) => {
  const count = countOf(operand, name, 0);
  return {
    run: function* run(source) {
      let passed = 0;
      for (const document of source) {
        if (document === PAUSE || passed >= count) yield document;
        else {
          passed += 1;
          tick();
          if (isTurnOver()) yield PAUSE;
        }
      }
    },
  };
};

/** Before 6.0, a sample may be of no documents. */
const isEmptySample = (size: unknown): boolean => toDouble(size) === 0 && currentWork().version < 6;

const SAMPLE: Members = {
  object: saying(28745, 'the $op stage specification must be an object'),
  unknown: saying(28748, 'unrecognized option to $op: $key'),
  required: ['size'],
  missing: saying(28749, '$op stage must specify a size'),
  literals: {
    size: {
      ...argument((value): value is unknown => toDouble(value) > 0 || isEmptySample(value))(
        28747,
        'size argument to $op must be a positive integer',
      ),
      first: aNumber(28746, 'size argument to $op must be a number'),
    },
  },
};

/** A uniform sample by reservoir. */
function sample(spec: Document): Stage {
  const size = toDouble(spec['size']);
  return {
    run: function* run(source) {
      const kept: Document[] = [];
      let seen = 0;
      yield* forEach(source, (document) => {
        seen += 1;
        const place = kept.length < size ? kept.length : Math.floor(Math.random() * seen);
        if (place < size) kept[place] = document;
      });
      yield* kept;
    },
  };
}

/** Stages that select and order documents. */
export const ORDER: Readonly<Record<string, CompileStage>> = {
  $sort: (operand, within, name) => sort({ sort: operand }, within, name),
  $limit: limit,
  $skip: skip,
  $sample: ofMembers(SAMPLE, sample),
};
