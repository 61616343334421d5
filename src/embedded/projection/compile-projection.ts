import type { Document } from 'bson';
import { fail } from '../errors.js';
import { type ExpressionOptions, expressionScope } from '../expressions/compile-expression.js';
import { testElements } from '../matching/array.js';
import { toDouble } from '../values/numbers.js';
import { isDocument, isNumeric } from '../values/types.js';
import { parseProjection } from './parse-projection.js';
import { positionOf } from './position-of.js';
import { compileTree, type Transform } from './projection-tree.js';

/** What find's projections are compiled with. */
export interface ProjectionOptions extends ExpressionOptions {
  /** The query, whose match a positional `field.$` shows. */
  readonly filter?: Document | undefined;
}

const integer = (value: unknown): number => {
  if (!isNumeric(value))
    fail(28667, 'Invalid $slice syntax. The given syntax did not match the find() syntax');
  return Math.trunc(toDouble(value));
};

/** `$slice: n` or `[skip, n]`. */
function sliceOf(operand: unknown): Transform {
  if (Array.isArray(operand)) {
    if (operand.length !== 2)
      fail(28667, 'Invalid $slice syntax. The given syntax did not match the find() syntax');
    const [skip, limit] = operand.map(integer) as [number, number];
    if (limit <= 0) fail(28724, 'First argument to $slice must be an positive');
    return (value) => {
      if (!Array.isArray(value)) return value;
      const from = skip < 0 ? Math.max(0, value.length + skip) : skip;
      return value.slice(from, from + limit);
    };
  }
  const count = integer(operand);
  return (value) => {
    if (!Array.isArray(value)) return value;
    return count < 0 ? value.slice(count) : value.slice(0, count);
  };
}

/** `$elemMatch`: the first element that meets the conditions; no field where none does. */
function elementOf(operand: unknown, options: ProjectionOptions): Transform {
  const test = testElements(operand, options);
  return (value) => {
    if (!Array.isArray(value)) return undefined;
    const found = value.find((item) => test([item]));
    return found === undefined ? undefined : [found];
  };
}

function positional(path: string, options: ProjectionOptions): Transform {
  const filter = options.filter ?? {};
  const field = path.slice(0, -2);
  return (value, root) => {
    if (!Array.isArray(value)) return value;
    const place = positionOf(filter, root, options);
    if (place === undefined) {
      return fail(
        51246,
        `Executor error during find command: positional operator '.$' couldn't find a matching element in the array '${field}'`,
      );
    }
    return value.slice(place, place + 1);
  };
}

/**
 * Compiles a projection of find: inclusion, exclusion, `$slice`, `$elemMatch`, `field.$` and expressions.
 * An empty projection gives whole documents.
 */
export function compileProjection(
  projection: Document,
  options: ProjectionOptions = {},
): (document: Document) => Document {
  if (Object.keys(projection).length === 0) return (document) => document;
  const spec: Document = {};
  const shown = new Map<string, Transform>();
  for (const [path, value] of Object.entries(projection)) {
    if (!path.endsWith('.$')) {
      spec[path] = value;
      continue;
    }
    spec[path.slice(0, -2)] = { $positional: 1 };
    shown.set(path.slice(0, -2), positional(path, options));
  }
  const { node, mode } = parseProjection(spec, expressionScope(options), (path, operand) => {
    const shows = shown.get(path);
    if (shows !== undefined) return { kind: 'transform', transform: shows, implies: 'include' };
    if (!isDocument(operand)) return undefined;
    if ('$slice' in operand && !isExpressionSlice(operand['$slice'])) {
      return { kind: 'transform', transform: sliceOf(operand['$slice']) };
    }
    if ('$elemMatch' in operand) {
      return { kind: 'transform', transform: elementOf(operand['$elemMatch'], options), implies: 'include' };
    }
    return undefined;
  });
  return compileTree(node, mode);
}

/** Aggregation's `$slice` names its array first. */
const isExpressionSlice = (operand: unknown): boolean =>
  Array.isArray(operand) && operand.length > 0 && !isNumeric(operand[0]);
