/** Permissions as `config/roles` writes them, in one list, and as they are stored: those without rules, and rules. */
import type { Permission } from '../config/types.js';
import type { StoredRule } from '../store/access/roles.js';
import { termsOf } from './rule-terms.js';

interface StoredPermissions {
  /** Actions without rules. */
  readonly grants: readonly string[];
  readonly rules: readonly StoredRule[];
}

export const storedPermissions = (written: readonly Permission[]): StoredPermissions => ({
  grants: written.filter((permission) => typeof permission === 'string'),
  rules: written.flatMap((permission) => {
    if (typeof permission === 'string') return [];
    const { action, ...terms } = permission;
    return [{ action, terms: JSON.stringify(terms) }];
  }),
});

export const writtenPermissions = ({
  grants,
  rules = [],
}: Partial<StoredPermissions> & Pick<StoredPermissions, 'grants'>): readonly Permission[] => [
  ...grants,
  ...rules.map((rule) => ({ action: rule.action, ...termsOf(rule) })),
];

export const actionOf = (permission: Permission): string =>
  typeof permission === 'string' ? permission : permission.action;
