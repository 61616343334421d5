import type { Document } from 'bson';
import { fail } from '../errors.js';
import { compileExpression, expressionScope } from '../expressions/compile-expression.js';
import { toDouble } from '../values/numbers.js';
import { isReferenceMember } from '../values/paths.js';
import { isTruthy } from '../values/type-names.js';
import { isDocument, isNumeric } from '../values/types.js';
import { compileJsonSchema } from './json-schema.js';
import { matchPath, type TestDocument } from './match-path.js';
import { allOf, compileCondition, type Target } from './operators.js';
import type { FilterOptions } from './options.js';

type CompileTop = (operand: unknown, options: FilterOptions) => TestDocument;

function clauses(name: string, operand: unknown, options: FilterOptions): TestDocument[] {
  if (!Array.isArray(operand)) return fail('BadValue', `${name} must be an array`);
  if (operand.length === 0) fail('BadValue', '$and/$or/$nor must be a nonempty array');
  return operand.map((clause) => {
    if (!isDocument(clause)) return fail('BadValue', '$or/$and/$nor entries need to be full objects');
    return compileFilter(clause, options);
  });
}

function compileExpr(operand: unknown, options: FilterOptions): TestDocument {
  const evaluate = options.expression?.(operand) ?? compileExpression(operand, expressionScope(options));
  return (document) => isTruthy(evaluate(document));
}

const unsupported =
  (name: string): CompileTop =>
  () =>
    fail('NotImplemented', `${name} is not supported by this engine`);

/** `$alwaysTrue` and `$alwaysFalse`, whose only argument is 1. */
function always(name: string, operand: unknown, result: boolean): TestDocument {
  if (!isNumeric(operand) || toDouble(operand) !== 1)
    fail('FailedToParse', `${name} must be an integer value of 1`);
  return () => result;
}

const TOP_LEVEL: Readonly<Record<string, CompileTop>> = {
  $and: (operand, options) => allOf(clauses('$and', operand, options)),
  $or: (operand, options) => {
    const tests = clauses('$or', operand, options);
    return (document) => tests.some((test) => test(document));
  },
  $nor: (operand, options) => {
    const tests = clauses('$nor', operand, options);
    return (document) => !tests.some((test) => test(document));
  },
  $expr: compileExpr,
  $jsonSchema: (operand) => compileJsonSchema(operand),
  $comment: () => () => true,
  $alwaysTrue: (operand) => always('$alwaysTrue', operand, true),
  $alwaysFalse: (operand) => always('$alwaysFalse', operand, false),
  $sampleRate: (operand) => {
    const rate = isNumeric(operand)
      ? toDouble(operand)
      : fail('BadValue', 'argument to $sampleRate must be a numeric type');
    if (!(rate >= 0 && rate <= 1)) fail('BadValue', 'numeric argument to $sampleRate must be in [0, 1]');
    return () => Math.random() < rate;
  },
  $where: unsupported('$where'),
  $text: unsupported('$text'),
};

function compileTop(name: string, operand: unknown, options: FilterOptions): TestDocument {
  const compile = Object.hasOwn(TOP_LEVEL, name) ? TOP_LEVEL[name] : undefined;
  if (compile !== undefined) return compile(operand, options);
  return fail(
    'BadValue',
    `unknown top level operator: ${name}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`,
  );
}

/**
 * Compiles a MongoDB filter to a test of a document.
 * @throws EngineError with MongoDB's code for an unknown operator or a malformed operand
 */
export function compileFilter(filter: Document, options: FilterOptions = {}): TestDocument {
  return allOf(
    Object.entries(filter).map(([key, condition]): TestDocument => {
      if (key.startsWith('$') && !isReferenceMember(key)) return compileTop(key, condition, options);
      const target: Target = (test, leaf) => matchPath(key, test, leaf) as (subject: unknown) => boolean;
      return compileCondition(target, condition, options);
    }),
  );
}
