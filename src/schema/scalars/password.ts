import { textRule } from './rules.js';
import type { Scalar } from './scalar.js';
import { string } from './string.js';

/** bcrypt ignores further bytes. */
const MAX_BYTES = 72;
/** A bcrypt hash, whose length says nothing about the password. */
const HASH = '^\\$2[abxy]\\$\\d\\d\\$.{53}$';

export const password: Scalar = {
  ...string,
  options: {
    ...string.options,
    // bcrypt supports only these.
    encryption: { type: 'object', properties: { rounds: { type: 'integer', minimum: 4, maximum: 31 } } },
  },
  rule: (attribute, strict) => {
    const { type, ...limits } = textRule(attribute, strict);
    return { type, if: { type: 'string', pattern: HASH }, else: { ...limits, maxBytes: MAX_BYTES } };
  },
  described: { ...string.described, input: { type: 'string', format: 'password', writeOnly: true } },
};
