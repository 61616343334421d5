import { errors } from '../errors.js';
import { shorten } from '../print-value.js';

/**
 * Levels of objects and lists in a body. MongoDB allows 100, some of which the response and the entry
 * themselves use.
 */
const MAX_BODY_DEPTH = 100;

interface Nested {
  readonly value: object;
  readonly depth: number;
  /** The first keys of the path, such as `data.blocks`, without list positions; enough to find the place. */
  readonly field: readonly string[];
}

/**
 * Throws a 400 for a body that is nested too deeply to be stored, before anything recurses into it. Uses an
 * explicit stack, so that no input can exhaust the call stack.
 */
export function checkNesting(body: unknown, max: number = MAX_BODY_DEPTH): void {
  const stack: Nested[] = isObject(body) ? [{ value: body, depth: 1, field: [] }] : [];
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
