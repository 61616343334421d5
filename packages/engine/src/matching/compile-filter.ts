import type { Document } from 'bson';
import { fail } from '../errors.js';
import { compileExpression, expressionScope } from '../expressions/compile-expression.js';
import { toDouble } from '../values/numbers.js';
import { isReferenceMember } from '../values/paths.js';
import { isTruthy } from '../values/type-names.js';
import { isDocument, isNumeric } from '../values/types.js';
import { compileJsonSchema } from './json-schema.js';
import { matchPath, type TestDocument, type TestValue } from './match-path.js';
import { compileCondition } from './operators.js';
import type { FilterOptions } from './options.js';
import { every, negate, type SubjectTest, some, type Target } from './tests.js';

/** What a filter is applied to: decoded documents, or stored ones. Tests receive the subject of the filter. */
interface Sight<N> {
  /** The values at a path of the subject. */
  target(path: string): Target<N>;
  /** Turns a test of a decoded document into one of the subject. */
  whole(test: TestDocument): TestValue;
}

type CompileTop = <N>(operand: unknown, options: FilterOptions, sight: Sight<N>) => SubjectTest<N>;

function clauses<N>(
  name: string,
  operand: unknown,
  options: FilterOptions,
  sight: Sight<N>,
): SubjectTest<N>[] {
  if (!Array.isArray(operand)) return fail('BadValue', `${name} must be an array`);
  if (operand.length === 0) fail('BadValue', '$and/$or/$nor must be a nonempty array');
  return operand.map((clause) => {
    if (!isDocument(clause)) return fail('BadValue', '$or/$and/$nor entries need to be full objects');
    return compileSeen(clause, options, sight);
  });
}

const compileExpr: CompileTop = (operand, options, sight) => {
  const evaluate = options.expression?.(operand) ?? compileExpression(operand, expressionScope(options));
  return { test: sight.whole((document) => isTruthy(evaluate(document))) };
};

const unsupported =
  (name: string): CompileTop =>
  () =>
    fail('NotImplemented', `${name} is not supported by this engine`);

/** An operator that is also a keyword of `$jsonSchema`. */
const keyword =
  (name: string): CompileTop =>
  (operand, _options, sight) => ({ test: sight.whole(compileJsonSchema({ [name]: operand })) });

/** `$alwaysTrue` and `$alwaysFalse`, whose only argument is 1. */
function always(name: string, operand: unknown, result: boolean): { readonly test: TestValue } {
  if (!isNumeric(operand) || toDouble(operand) !== 1)
    fail('FailedToParse', `${name} must be an integer value of 1`);
  return { test: () => result };
}

const TOP_LEVEL: Readonly<Record<string, CompileTop>> = {
  $and: (operand, options, sight) => every(clauses('$and', operand, options, sight)),
  $or: (operand, options, sight) => some(clauses('$or', operand, options, sight)),
  $nor: (operand, options, sight) => negate(some(clauses('$nor', operand, options, sight))),
  $expr: compileExpr,
  $jsonSchema: (operand, _options, sight) => ({ test: sight.whole(compileJsonSchema(operand)) }),
  $_internalSchemaMinProperties: keyword('minProperties'),
  $_internalSchemaMaxProperties: keyword('maxProperties'),
  $comment: () => ({ test: () => true }),
  $alwaysTrue: (operand) => always('$alwaysTrue', operand, true),
  $alwaysFalse: (operand) => always('$alwaysFalse', operand, false),
  $sampleRate: (operand) => {
    const rate = isNumeric(operand)
      ? toDouble(operand)
      : fail('BadValue', 'argument to $sampleRate must be a numeric type');
    if (!(rate >= 0 && rate <= 1)) fail('BadValue', 'numeric argument to $sampleRate must be in [0, 1]');
    return { test: () => Math.random() < rate };
  },
  $where: unsupported('$where'),
  $text: unsupported('$text'),
};

function compileTop<N>(
  name: string,
  operand: unknown,
  options: FilterOptions,
  sight: Sight<N>,
): SubjectTest<N> {
  const compile = Object.hasOwn(TOP_LEVEL, name) ? TOP_LEVEL[name] : undefined;
  if (compile !== undefined) return compile(operand, options, sight);
  return fail(
    'BadValue',
    `unknown top level operator: ${name}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`,
  );
}

/** Compiles a filter to a test of any kind of subject. */
export function compileSeen<N>(filter: Document, options: FilterOptions, sight: Sight<N>): SubjectTest<N> {
  const conditions = { ...options, compileFilter };
  return every(
    Object.entries(filter).map(([key, condition]) => {
      if (key.startsWith('$') && !isReferenceMember(key)) return compileTop(key, condition, options, sight);
      return compileCondition(sight.target(key), condition, conditions);
    }),
  );
}

const DECODED: Sight<never> = {
  target:
    (path) =>
    ({ test }, leaf) => ({ test: matchPath(path, test, leaf) as TestValue }),
  whole: (test) => test as TestValue,
};

/**
 * Compiles a MongoDB filter to a test of a document.
 * @throws EngineError with MongoDB's code for an unknown operator or a malformed operand
 */
export const compileFilter = (filter: Document, options: FilterOptions = {}): TestDocument =>
  compileSeen(filter, options, DECODED).test;
