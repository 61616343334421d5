/** The terms of a rule, and the names in them that stand for a value of the request. */
import type { Rule } from '../query/read-plan.js';
import type { StoredRule } from '../store/access/roles.js';
import { isPlainObject } from '../values/plain-object.js';

/** What a rule may say besides its action, as `config/roles` has it. */
export interface RuleTerms {
  readonly write?: readonly string[];
  readonly set?: Readonly<Record<string, unknown>>;
}

/** The value of an attribute of the caller's account, or of `role`; undefined if the caller has none. */
export type CallerValue = (name: string) => unknown;

const CALLER = '$caller.';
export const NOW = '$now';

/** The name in `$caller.<name>`; null for any other value. */
export const callerName = (value: unknown): string | null =>
  typeof value === 'string' && value.startsWith(CALLER) ? value.slice(CALLER.length) : null;

export const termsOf = ({ terms }: StoredRule): RuleTerms => JSON.parse(terms) as RuleTerms;

/** A rule needs a value that its caller does not have. */
const MISSING = Symbol('missing');

function filled(value: unknown, of: CallerValue): unknown {
  if (value === NOW) return new Date().toISOString();
  const name = callerName(value);
  if (name !== null) return of(name) ?? MISSING;
  if (Array.isArray(value)) return value.map((item) => filled(item, of));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, of)]));
}

const isMissing = (value: unknown): boolean =>
  value === MISSING ||
  (Array.isArray(value) && value.some(isMissing)) ||
  (isPlainObject(value) && Object.values(value).some(isMissing));

/** The rule with the values of a request; null if the caller lacks one, so that the rule allows nothing. */
export function ruleOf({ write, set = {} }: RuleTerms, of: CallerValue): Rule | null {
  const values = filled(set, of);
  if (isMissing(values) || !isPlainObject(values)) return null;
  return { write: write ? new Set(write) : null, set: values };
}
