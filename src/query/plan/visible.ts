/** What the rules of a caller let it read, as conditions. */
import { errors } from '../../errors.js';
import type { ContentType } from '../../schema/types.js';
import type { RawObject } from '../ast.js';
import { checkFilters } from '../check/filters.js';
import type { CheckedFilter } from '../checked.js';
import { parseFilters } from '../parse/filters.js';
import type { Condition, Visible } from '../read-plan.js';
import type { QueryScope } from '../settings.js';
import { and, or } from './condition.js';
import { planFilter } from './filter.js';

/** The condition on each type that the caller may not read in full; null if there are none. */
export function visibleTypes({ schema, caller, settings }: QueryScope): Visible['byType'] | null {
  const reads = caller.grants?.reads;
  if (!reads) return null;
  return new Map(
    [...reads].flatMap(([uid, { where }]): readonly [string, Condition][] => {
      const type = schema.contentTypes.get(uid);
      if (!type || where.length === 0) return [];
      const each = where.map((some) => or(some.map((one) => planRule(one, type, { schema, settings }))));
      return [[uid, and(each)]];
    }),
  );
}

/** What the filters of rules are planned with. */
type RuleScope = Pick<QueryScope, 'schema' | 'settings'>;

/**
 * The condition of a rule. It sees what its author could not name as a caller, private attributes and types
 * without a grant; of types with drafts, the version of the entry that it is about.
 * @throws ApiError 400 for what the schema does not have
 */
export function planRule(where: RawObject, type: ContentType, scope: RuleScope): Condition {
  const { checked, context } = checkedRule(where, type, scope);
  const condition = planFilter(checked, type, context);
  // It would not be a rule.
  if (condition.kind === 'always') throw errors.invalidKey({ key: 'where', path: 'where' });
  return condition;
}

/**
 * The filter of a rule with the attributes that it names.
 * @throws ApiError 400 for what the schema does not have
 */
export function checkedRule(where: RawObject, type: ContentType, { schema, settings }: RuleScope) {
  const scope = { schema, caller: { grants: null }, settings: { ...settings, mode: 'service' } } as const;
  const parsed = parseFilters(where) ?? ({ kind: 'all', of: [] } as const);
  const context = {
    ...scope,
    param: 'filters',
    entry: type,
    drafts: false,
    status: 'published',
    moment: null,
    locale: { kind: type.localized ? 'any' : 'none' },
    publication: null,
  } as const;
  const checked = checkFilters(parsed, type, context);
  refuseSecrets(checked);
  return { checked, context };
}

/** Passwords, which a filter of a script ignores, and JSON, which only a search beforehand can test. */
function refuseSecrets(node: CheckedFilter): void {
  if (node.kind === 'operator') return;
  if (node.kind !== 'attribute') {
    for (const child of node.of) refuseSecrets(child);
    return;
  }
  const { attribute } = node;
  if (attribute.kind === 'scalar' && (attribute.type === 'password' || attribute.type === 'json'))
    throw errors.invalidKey({ key: attribute.name, path: attribute.name });
  refuseSecrets(node.of);
}
