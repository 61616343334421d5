/**
 * AST → checked AST: every key exists and is allowed for the caller, otherwise a 400 names it. In Strapi's
 * order: filters, sort, fields, populate. Values are checked by the plan.
 */
import { errors } from '../errors.js';
import type { ContentType } from '../schema/types.js';
import type { FilterNode, Param, QueryNode } from './ast.js';
import type { CheckContext } from './check/check-context.js';
import { checkFields } from './check/fields.js';
import { checkFilters } from './check/filters.js';
import { checkPopulate } from './check/populate.js';
import { checkRoot } from './check/root.js';
import { checkSort } from './check/sort.js';
import type { CheckedFilter, CheckedQuery } from './checked.js';
import { isOperator } from './operators.js';
import type { QueryScope } from './settings.js';
import { wrongLocale } from './wrong-locale.js';

/** Throws a 400 for a key that is unknown or may not be used. Relations that the caller may not read are silently dropped from populate. */
export function checkQuery(node: QueryNode, type: ContentType, scope: QueryScope): CheckedQuery {
  checkRoot(node, type, scope.settings);
  const of = (param: Param): CheckContext => ({ ...scope, param });
  // In strict mode, the plan refuses operators in `locale`.
  const localeFilter = scope.settings.strictValues ? null : checkLocale(node, type, of('locale'));
  const filters = node.filters && checkFilters(node.filters, type, of('filters'));
  const sort = checkSort(node.sort, type, of('sort'));
  const fields = node.fields && checkFields(node.fields, type, of('fields'));
  const root = { model: type, path: null, raw: null, depth: 1 };
  const populate = node.populate ? checkPopulate(node.populate, root, of('populate')) : new Map();
  if (node.keys.includes('lookup')) throw errors.validation('lookup-not-allowed', "Invalid params: 'lookup'");
  return { ...node, localeFilter, filters, sort, fields, populate };
}

/** Throws if `locale` is an object with anything but operators. Null for types that are not localized. */
export function checkLocale(
  { locale, localeFilter }: Pick<QueryNode, 'locale' | 'localeFilter'>,
  type: ContentType,
  context: CheckContext,
): CheckedFilter | null {
  if (!localeFilter || !type.localized) return null;
  if (!isTest(localeFilter, true)) throw wrongLocale(locale);
  return checkFilters(localeFilter, type, context);
}

function isTest(node: FilterNode, atRoot: boolean): boolean {
  switch (node.kind) {
    case 'operator':
      return isOperator(node.operator);
    case 'attribute':
      return atRoot && isTest(node.of, false);
    default:
      return node.of.every((child) => isTest(child, atRoot));
  }
}
