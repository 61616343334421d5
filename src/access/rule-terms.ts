/** The terms of a rule, and the names in them that stand for a value of the request. */
import type { RawObject } from '../query/ast.js';
import type { ReadRule, Rule } from '../query/read-plan.js';
import type { StoredRule } from '../store/access/roles.js';
import { isPlainObject } from '../values/plain-object.js';

/** What a rule may say besides its action, as `config/roles` has it. */
export interface RuleTerms {
  readonly where?: RawObject;
  readonly fields?: readonly string[];
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

/** What a stored rule says. */
export const termsOf = ({ terms }: StoredRule): RuleTerms => JSON.parse(terms) as RuleTerms;

/** A rule needs a value that its caller does not have. */
const MISSING = Symbol('missing');

/** To the second, so that the requests of one second share their plans. */
const thisSecond = (): string => new Date(Math.floor(Date.now() / 1000) * 1000).toISOString();

function filled(value: unknown, of: CallerValue): unknown {
  if (value === NOW) return thisSecond();
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
export function ruleOf({ where, write, set = {} }: RuleTerms, of: CallerValue): Rule | null {
  const values = filled(set, of);
  const filter = filled(where ?? {}, of);
  if (isMissing(values) || isMissing(filter) || !isPlainObject(values) || !isPlainObject(filter)) return null;
  return { where: where ? filter : null, write: write ? new Set(write) : null, set: values };
}

/**
 * What may be read of a type by the rules of its actions that read. The entry must satisfy one rule of each
 * action; attributes that one of them leaves out do not exist.
 */
export function readRuleOf(
  actions: readonly { readonly terms: readonly RuleTerms[]; readonly rules: readonly Rule[] }[],
): ReadRule {
  const where = actions.flatMap(({ rules }) => {
    const filters = rules.map((rule) => rule.where);
    return filters.every((filter) => filter !== null) ? [filters] : [];
  });
  const lists = actions.flatMap(({ terms }) => terms.flatMap(({ fields }) => (fields ? [fields] : [])));
  const [first, ...others] = lists;
  const fields = first ? new Set(first.filter((name) => others.every((list) => list.includes(name)))) : null;
  return { where, fields };
}
