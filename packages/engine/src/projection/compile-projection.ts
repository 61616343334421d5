import type { Document } from 'bson';
import { fail } from '../errors.js';
import { type ExpressionOptions, expressionScope } from '../expressions/compile-expression.js';
import { compileFilter } from '../matching/compile-filter.js';
import { testElements } from '../matching/operators.js';
import { NOT_OF_ELEMENTS, refuseConditions } from '../matching/refuse-conditions.js';
import { toDouble } from '../values/numbers.js';
import { member } from '../values/paths.js';
import { isTruthy } from '../values/type-names.js';
import { bsonTypeOf, isDocument, isNumeric } from '../values/types.js';
import { isFlag, parseProjection } from './parse-projection.js';
import { positionOf } from './position-of.js';
import { compileTree, type Transform } from './projection-tree.js';

/** The context in which find's projections are compiled. */
export interface ProjectionOptions extends ExpressionOptions {
  /** The query whose match a positional `field.$` refers to. */
  readonly filter?: Document | undefined;
}

const integer = (value: unknown): number => {
  if (!isNumeric(value))
    fail(28667, 'Invalid $slice syntax. The given syntax did not match the find() syntax');
  return Math.trunc(toDouble(value));
};

type Slice = (array: readonly unknown[]) => unknown[];

/** `$slice: n` or `[skip, n]`. */
function sliceOf(operand: unknown): Slice {
  if (Array.isArray(operand)) {
    if (operand.length !== 2)
      fail(28667, 'Invalid $slice syntax. The given syntax did not match the find() syntax');
    const [skip, limit] = operand.map(integer) as [number, number];
    if (limit <= 0) fail(28724, 'First argument to $slice must be an positive');
    return (array) => {
      const from = skip < 0 ? Math.max(0, array.length + skip) : skip;
      return array.slice(from, from + limit);
    };
  }
  const count = integer(operand);
  return (array) => (count < 0 ? array.slice(count) : array.slice(0, count));
}

/** A value with the array at a path cut; through an array on the way, it descends only into documents. */
function cut(value: unknown, parts: readonly string[], at: number, slice: Slice): unknown {
  if (at === parts.length) return Array.isArray(value) ? slice(value) : value;
  const inDocument = (document: unknown): unknown => {
    const name = parts[at] as string;
    if (!isDocument(document) || !Object.hasOwn(document, name)) return document;
    return { ...document, [name]: cut(document[name], parts, at + 1, slice) };
  };
  return Array.isArray(value) ? value.map(inDocument) : inDocument(value);
}

/** `$elemMatch`: the first element that satisfies the conditions; no field if there is none. */
function elementOf(operand: unknown, options: ProjectionOptions): (value: unknown) => unknown {
  if (!isDocument(operand))
    fail(31274, `elemMatch: Invalid argument, object required, but got ${bsonTypeOf(operand)}`);
  refuseConditions(operand, NOT_OF_ELEMENTS);
  const { test } = testElements(operand, { ...options, compileFilter });
  return (value) => {
    if (!Array.isArray(value)) return undefined;
    const found = value.find((item) => test([item]));
    return found === undefined ? undefined : [found];
  };
}

/** A value with the first array on a path reduced to one element. */
function pickFirst(value: unknown, parts: readonly string[], at: number, place: number | undefined): unknown {
  if (Array.isArray(value)) {
    if (place === undefined)
      fail(
        51246,
        `Executor error during find command: positional operator '.$' couldn't find a matching element in the array`,
      );
    if (place >= value.length)
      fail(51247, "Executor error during find command: positional operator '.$' element mismatch");
    return [value[place]];
  }
  const name = parts[at];
  if (name === undefined || !isDocument(value) || !Object.hasOwn(value, name)) return value;
  return { ...value, [name]: pickFirst(value[name], parts, at + 1, place) };
}

const isElemMatch = (value: unknown): boolean => isDocument(value) && '$elemMatch' in value;

/** The array of which a positional projection returns one element; names inside it are ignored. */
function positionalField(path: string, value: unknown): string | undefined {
  const [field = '', ...more] = path.split(/\.\$(?=\.|$)/);
  if (more.length === 0) return undefined;
  if (field === '') fail(5392900, "FieldPath cannot be constructed with an empty string before '.$'");
  if (isDocument(value)) fail(31271, 'positional projection cannot be used with an expression or sub object');
  if (path.endsWith('.$.')) fail(31270, "Path cannot end with '.$.'");
  if (more.length > 1) fail(31287, `Cannot use positional operator twice: ${path}`);
  if (!isFlag(value)) fail(31308, 'positional projection cannot be used with a literal');
  if (!isTruthy(value)) fail(31395, 'positional projection cannot be used with exclusion');
  return field;
}

/**
 * Compiles a projection of find: inclusion, exclusion, `$slice`, `$elemMatch`, `field.$` and expressions. An empty projection
 * returns whole documents.
 */
export function compileProjection(
  projection: Document,
  options: ProjectionOptions = {},
): (document: Document) => Document {
  if (Object.keys(projection).length === 0) return (document) => document;
  const spec: Document = {};
  /** What is done to the arrays of the result, by path. */
  const after: ((shown: unknown, root: Document) => unknown)[] = [];
  const positions = new Set<string>();
  for (const [path, value] of Object.entries(projection)) {
    const field = positionalField(path, value);
    if (positions.size > 0 && field !== undefined)
      fail(31276, 'Cannot specify more than one positional projection per query.');
    if (field !== undefined && Object.values(spec).some(isElemMatch))
      fail(31256, 'Cannot specify positional operator and $elemMatch.');
    if (Object.hasOwn(spec, field ?? path)) fail(31250, `Path collision at ${field ?? path}`);
    if (field === undefined) {
      spec[path] = value;
      continue;
    }
    spec[field] = { $positional: 1 };
    positions.add(field);
    after.push((shown, root) =>
      pickFirst(shown, field.split('.'), 0, positionOf(options.filter ?? {}, root, options)),
    );
  }
  const scope = expressionScope(options);
  const { node, mode } = parseProjection(spec, scope, (path, operand) => {
    if (positions.has(path)) return { kind: 'transform', transform: keep, implies: 'include' };
    if (!isDocument(operand)) return undefined;
    // It is combined with included fields without deciding which these are.
    if ('$meta' in operand) return { kind: 'compute', evaluate: scope.compile(operand) };
    if ('$slice' in operand && !isExpressionSlice(operand['$slice'])) {
      const slice = sliceOf(operand['$slice']);
      after.push((shown) => cut(shown, path.split('.'), 0, slice));
      return { kind: 'transform', transform: keep, unsaid: 'exclude' };
    }
    if ('$elemMatch' in operand) {
      if (positions.size > 0) fail(31255, 'Cannot specify positional operator and $elemMatch.');
      if (path.includes('.')) fail(31275, 'Cannot use $elemMatch projection on a nested field.');
      const pick = elementOf(operand['$elemMatch'], options);
      return { kind: 'compute', evaluate: (root) => pick(member(root, path)), unsaid: 'include' };
    }
    return undefined;
  });
  const project = compileTree(node, mode);
  if (after.length === 0) return project;
  return (document) =>
    after.reduce((shown: unknown, step) => step(shown, document), project(document)) as Document;
}

const keep: Transform = (value) => value;

/** Aggregation's `$slice` names its array first. */
const isExpressionSlice = (operand: unknown): boolean =>
  Array.isArray(operand) && operand.length > 0 && !isNumeric(operand[0]);
