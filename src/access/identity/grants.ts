import { createHash } from 'node:crypto';
import type { Grants, Rule } from '../../query/read-plan.js';
import type { StoredRule } from '../../store/access/roles.js';
import { groupBy } from '../../values/group.js';
import { type CallerValue, readRuleOf, ruleOf, termsOf } from '../rule-terms.js';
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

const digest = (content: unknown): string =>
  createHash('sha1').update(JSON.stringify(content)).digest('base64url');

/** The grants of all its actions with the rules that some of them have, for a caller with these values. */
export const withRules = (grants: Grants, rules: readonly StoredRule[], of: CallerValue): Grants => {
  const byAction = [...groupBy(rules, ({ action }) => action)].map(([action, stored]) => {
    const terms = stored.map(termsOf);
    return { action, terms, rules: terms.map((one) => ruleOf(one, of)).filter((rule) => rule !== null) };
  });
  const resolved = new Map(byAction.map((one): [string, readonly Rule[]] => [one.action, one.rules]));
  const reading = byAction.filter(({ action }) => READING.test(action));
  const reads = new Map(
    [...groupBy(reading, ({ action }) => action.replace(READING, ''))].map(([uid, some]) => [
      uid,
      readRuleOf(some),
    ]),
  );
  // What is set in a write changes no plan and no description, and may differ with each request.
  const shown = [...resolved].map(([action, list]) => [
    action,
    list.map(({ where, write, set }) => [where, write && [...write], Object.keys(set)]),
  ]);
  const fields = [...reads].map(([uid, read]) => [uid, read.fields && [...read.fields]]);
  return {
    version: digest([grants.version, shown, fields]),
    described: digest([grants.version, rules]),
    allows: grants.allows,
    rulesOf: (action) => resolved.get(action) ?? null,
    ...(reads.size > 0 && { reads }),
  };
};

/** Every action, for full-access tokens. */
export const ALL_GRANTS: Grants = { version: 'full', allows: () => true };

/** `find` and `findOne` of everything, for read-only tokens. */
export const READ_ONLY: Grants = { version: 'read', allows: (action) => /\.find(One)?$/.test(action) };

/** Deny by default: the grants of a role that does not exist. */
export const NOTHING: Grants = compileGrants([]);

/** The grants of an API token. */
export const grantsOfToken = (token: ApiToken): Grants => {
  switch (token.type) {
    case 'full-access':
      return ALL_GRANTS;
    case 'read-only':
      return READ_ONLY;
    case 'custom':
      return compileGrants(token.permissions);
  }
};
