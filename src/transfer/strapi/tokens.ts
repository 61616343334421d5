import { numberOf, textOf } from '../../values/plain-object.js';
import type { SourceToken } from '../source/types.js';

const TYPES = ['read-only', 'full-access', 'custom'] as const;

/** Reads a line of `mangrove/tokens`; Strapi's archives contain no API tokens. */
export const tokenOf = (line: Record<string, unknown>): SourceToken => {
  const { permissions, type } = line;
  return {
    name: String(line['name']),
    description: textOf(line['description']) ?? '',
    type: TYPES.find((one) => one === type) ?? 'custom',
    accessKey: String(line['accessKey']),
    permissions: Array.isArray(permissions) ? permissions.map(String) : [],
    lifespan: numberOf(line['lifespan']),
    expiresAt: textOf(line['expiresAt']),
    createdAt: textOf(line['createdAt']),
  };
};
