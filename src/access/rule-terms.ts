/** The terms of a rule, and the names in them that stand for a value of the request. */
import type { RawObject } from '../query/ast.js';
import { CallerValue, CallerValues } from '../query/caller-values.js';
import type { ReadRule, Rule } from '../query/read-plan.js';
import type { StoredRule } from '../store/access/roles.js';
import { mapLeaves } from '../values/plain-object.js';

/** What a rule may say besides its action, as `config/roles` has it. */
export interface RuleTerms {
  readonly where?: RawObject;
  readonly fields?: readonly string[];
  readonly write?: readonly string[];
  readonly set?: Readonly<Record<string, unknown>>;
}

const CALLER = '$caller.';
export const NOW = '$now';

/** The name in `$caller.<name>`; null for any other value. */
export const callerName = (value: unknown): string | null =>
  typeof value === 'string' && value.startsWith(CALLER) ? value.slice(CALLER.length) : null;

/** What a stored rule says. */
export const termsOf = ({ terms }: StoredRule): RuleTerms => JSON.parse(terms) as RuleTerms;

/** To the second, so that the requests of one second count the same entries. */
const thisSecond = (): string => new Date(Math.floor(Date.now() / 1000) * 1000).toISOString();

/**
 * The values that the rules of a caller may name. An empty text is none: every text begins with it.
 * @param of those of its account and role
 */
export const callerValues = (of: (name: string) => unknown): CallerValues =>
  new CallerValues((name) => {
    const value = name === NOW ? thisSecond() : of(name);
    return value === null || value === '' ? undefined : value;
  });

/** What a value in a rule is called, if it is one of the request. */
const nameOf = (value: unknown): string | null => (value === NOW ? NOW : callerName(value));

/** The values of the request that a rule names. */
export function namesInTerm({ where, set }: RuleTerms): readonly string[] {
  const names = new Set<string>();
  mapLeaves([where, set], (leaf) => {
    const name = nameOf(leaf);
    if (name !== null) names.add(name);
  });
  return [...names];
}

/** The rule of a request; null if the caller lacks a value that it names, so that the rule allows nothing. */
export function ruleOf({ where, write, set = {} }: RuleTerms, values: CallerValues): Rule | null {
  let isLacking = false;
  const filled = (term: object, as: (name: string) => unknown) =>
    mapLeaves(term, (leaf) => {
      const name = nameOf(leaf);
      if (name === null) return leaf;
      isLacking ||= values.get(name) === undefined;
      return as(name);
    }) as RawObject;
  const stored = filled(set, (name) => values.get(name));
  const filter = where ? filled(where, (name) => new CallerValue(name, values)) : null;
  return isLacking ? null : { where: filter, write: write ? new Set(write) : null, set: stored };
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
