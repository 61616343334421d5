/**
 * What a query may cost, counted before anything recurses: an explicit stack, so no nesting can exhaust the call stack, and
 * the first bound that is passed ends the count.
 */
import { errors } from '../errors.js';
import type { RawValue } from './ast.js';
import type { QueryLimits } from './settings.js';

/** Throws a 400 when the parameters are nested too deeply, too wide or too many (rules 0.4, row 4). */
export function checkCost(raw: RawValue, limits: QueryLimits): void {
  const stack: { readonly value: object; readonly depth: number }[] = [];
  let nodes = 0;
  const visit = (value: RawValue, depth: number): void => {
    nodes += 1;
    if (nodes > limits.maxNodes) throw tooCostly('values', limits.maxNodes);
    if (typeof value !== 'object' || value === null) return;
    if (depth > limits.maxDepth) throw tooCostly('levels', limits.maxDepth);
    stack.push({ value, depth });
  };
  visit(raw, 1);
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const members: readonly RawValue[] = Array.isArray(top.value) ? top.value : Object.values(top.value);
    if (members.length > limits.maxBreadth) throw tooCostly('members of one object', limits.maxBreadth);
    for (const member of members) visit(member, top.depth + 1);
  }
}

/** Throws a 400 for more parameters than the limit, before any of them is read. */
export function checkParameterCount(text: string, limits: QueryLimits): void {
  let count = 1;
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) count += 1;
  if (count > limits.parameterLimit) throw tooCostly('parameters', limits.parameterLimit);
}

function tooCostly(what: string, limit: number) {
  return errors.validation('query-too-large', `The query has too many ${what}. The maximum is ${limit}.`, {
    limit,
    source: 'query',
  });
}
