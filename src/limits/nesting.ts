import { errors } from '../errors.js';
import { shorten } from '../print-value.js';

/** Levels of objects and lists in a body. MongoDB stores 100, of which the answer's and the entry's own take some. */
const MAX_BODY_DEPTH = 100;

interface Level {
  readonly value: object;
  readonly depth: number;
  /** The first keys on the way, `data.blocks`, without positions: enough to find the place. */
  readonly field: readonly string[];
}

/**
 * Throws a 400 for a body that is nested deeper than anything can be stored, before anything recurses into it. An explicit stack,
 * so that no nesting can exhaust the call stack.
 */
export function checkNesting(body: unknown, max: number = MAX_BODY_DEPTH): void {
  const stack: Level[] = isObject(body) ? [{ value: body, depth: 1, field: [] }] : [];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { value, depth, field } = top;
    if (depth > max) throw tooDeep(field.join('.'), max);
    const named = depth < 3 && !Array.isArray(value);
    for (const [key, member] of Object.entries(value))
      if (isObject(member))
        stack.push({
          value: member,
          depth: depth + 1,
          field: named ? [...field, shorten(key, 50)] : field,
        });
  }
}

const tooDeep = (field: string, max: number) =>
  errors.validation('body-too-deep', `${field || 'The body'} is nested deeper than ${max} levels`, {
    path: field,
    limit: max,
    source: 'body',
  });

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
