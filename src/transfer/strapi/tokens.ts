import type { StoredRule } from '../../store/access/roles.js';
import { numberOf, objectAt, textOf } from '../../values/plain-object.js';
import type { SourceToken } from '../source/types.js';

const TYPES = ['read-only', 'full-access', 'custom'] as const;

/** Reads a line of `mangrove/tokens`; Strapi's archives contain no API tokens. */
export const tokenOf = (line: Record<string, unknown>): SourceToken => {
  const { permissions, rules, type } = line;
  return {
    name: String(line['name']),
    description: textOf(line['description']) ?? '',
    type: TYPES.find((one) => one === type) ?? 'custom',
    accessKey: String(line['accessKey']),
    permissions: Array.isArray(permissions) ? permissions.map(String) : [],
    ...(Array.isArray(rules) && { rules: rules.map(ruleOf) }),
    lifespan: numberOf(line['lifespan']),
    expiresAt: textOf(line['expiresAt']),
    createdAt: textOf(line['createdAt']),
  };
};

const ruleOf = (rule: unknown): StoredRule => ({
  action: String(objectAt(rule)['action']),
  terms: String(objectAt(rule)['terms']),
});
