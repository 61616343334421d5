import { createHash } from 'node:crypto';
import type { CallerValues } from '../../query/caller-values.js';
import type { Grants } from '../../query/read-plan.js';
import { heldActions, type StoredRule } from '../../store/access/roles.js';
import { groupBy } from '../../values/group.js';
import { memberOf, once, oncePer } from '../../values/once-per.js';
import { callerValues, namesInTerm, readRuleOf, ruleOf, termsOf } from '../rule-terms.js';
import type { ApiToken } from './identity.js';

/**
 * Compiles a set of actions. Its version is derived from its content, so that equal sets share cached plans.
 */
export const compileGrants = (actions: Iterable<string>): Grants => {
  const held = new Set(actions);
  const version = createHash('sha1')
    .update([...held].sort().join('\n'))
    .digest('base64url');
  return { version, allows: (action) => held.has(action) };
};

const READING = /\.find(One)?$/;

/** What the rules of a role or token say, by action, with the values that each names; and the versions of its grants. */
const parsed = oncePer((rules: readonly StoredRule[]) => ({
  byAction: [...groupBy(rules, ({ action }) => action)].map(([action, stored]) => {
    const terms = stored.map(termsOf);
    return { action, terms, named: terms.map(namesInTerm) };
  }),
  hasReading: rules.some(({ action }) => READING.test(action)),
  versions: new Map<string, string>(),
}));

const digest = (content: unknown): string =>
  createHash('sha1').update(JSON.stringify(content)).digest('base64url');

/**
 * The grants of all its actions with the rules that some of them have, for a caller with these values. What the rules
 * come to is computed when it is needed: a read with a kept plan needs only the version.
 */
export const withRules = (grants: Grants, rules: readonly StoredRule[], values: CallerValues): Grants => {
  const { byAction, hasReading, versions } = parsed(rules);
  const ruled = once(() =>
    byAction.map(({ action, terms }) => ({
      action,
      terms,
      rules: terms.map((one) => ruleOf(one, values)).filter((rule) => rule !== null),
    })),
  );
  const reads = once(() => {
    const reading = ruled().filter(({ action }) => READING.test(action));
    const byType = groupBy(reading, ({ action }) => action.replace(READING, ''));
    return new Map([...byType].map(([uid, some]) => [uid, readRuleOf(some)]));
  });
  const isHeld = (name: string): boolean => values.get(name) !== undefined;
  const applying = byAction
    .map(({ named }) => named.map((names) => (names.every(isHeld) ? 1 : 0)).join(''))
    .join();
  const made: Grants = {
    version: memberOf(versions, `${grants.version} ${applying}`, () =>
      digest([grants.version, rules, applying]),
    ),
    allows: grants.allows,
    rulesOf: (action) => ruled().find((one) => one.action === action)?.rules ?? null,
    values,
  };
  if (!hasReading) return made;
  return {
    ...made,
    get reads() {
      return reads();
    },
  };
};

/** Every action, for full-access tokens. */
export const ALL_GRANTS: Grants = { version: 'full', allows: () => true };

/** `find` and `findOne` of everything, for read-only tokens. */
export const READ_ONLY: Grants = { version: 'read', allows: (action) => /\.find(One)?$/.test(action) };

/** Deny by default: the grants of a role that does not exist. */
export const NOTHING: Grants = compileGrants([]);

/** The actions of an API token, whatever their rules are: see `grantsForToken`. */
export const grantsOfToken = (token: ApiToken): Grants => {
  switch (token.type) {
    case 'full-access':
      return ALL_GRANTS;
    case 'read-only':
      return READ_ONLY;
    case 'custom':
      return compileGrants(heldActions({ grants: token.permissions, rules: token.rules ?? [] }));
  }
};

/** What a token grants to a request. Its rules name nothing of an account, but may name the time. */
export const grantsForToken = (token: ApiToken, grants = grantsOfToken(token)): Grants =>
  token.rules ? withRules(grants, token.rules, valuesOfNobody()) : grants;

/** The values of a caller without account and role. */
export const valuesOfNobody = (): CallerValues => callerValues(() => undefined);
