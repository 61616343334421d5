import type { Config } from '../../config/types.js';
import { ApiError } from '../../errors.js';
import type { Condition } from '../../query/read-plan.js';
import type { ContentType, Schema } from '../../schema/types.js';
import { listRoles, type StoredRule } from '../../store/access/roles.js';
import { listTokens } from '../../store/access/tokens.js';
import type { Store } from '../../store/client.js';
import { termsOf } from '../rule-terms.js';
import { exampleCondition } from './check-rules.js';
import { listedRules } from './configured-roles.js';

/** What a rule of a role or token tests in the entries that it lets a caller read. */
export interface ReadingCondition {
  /** `role writer`, `token preview`. */
  readonly holder: string;
  readonly type: ContentType;
  readonly condition: Condition;
}

interface Parts {
  readonly store: Store;
  readonly schema: Schema;
  readonly config: Config;
}

/** The conditions of the rules for lists: of `config/roles`, and of the roles and tokens of the database. */
export async function readingConditions({
  store,
  schema,
  config,
}: Parts): Promise<readonly ReadingCondition[]> {
  const file = config.roles ?? {};
  const stored = (await listRoles(store)).filter(({ type }) => !Object.hasOwn(file, type));
  const held: readonly (readonly [holder: string, rules: readonly StoredRule[]])[] = [
    ...Object.keys(file).map((type) => [`role ${type}`, listedRules(file, type)] as const),
    ...stored.map(({ type, rules = [] }) => [`role ${type}`, rules] as const),
    ...(await listTokens(store)).map(({ name, rules = [] }) => [`token ${name}`, rules] as const),
  ];
  return held.flatMap(([holder, rules]) =>
    rules.flatMap((rule): readonly ReadingCondition[] => {
      const type = schema.contentTypes.get(rule.action.replace(/\.find$/, ''));
      const { where } = termsOf(rule);
      if (!type || !where) return [];
      try {
        return [{ holder, type, condition: exampleCondition(where, type, { schema, config }) }];
      } catch (error) {
        // `mangrove check` and every start report it.
        if (error instanceof ApiError) return [];
        throw error;
      }
    }),
  );
}
