/**
 * AST → checked AST: every key exists and is allowed for the caller, otherwise a 400 names it. In Strapi's
 * order: filters, sort, fields, populate (rules A.5). Values are checked by the plan.
 */
import { errors } from '../errors.js';
import type { ContentType } from '../schema/types.js';
import type { CheckedQuery, FilterNode, Param, QueryNode } from './ast.js';
import type { CheckContext } from './check/check-context.js';
import { checkFields } from './check/fields.js';
import { checkFilters } from './check/filters.js';
import { checkPopulate } from './check/populate.js';
import { checkRoot } from './check/root.js';
import { checkSort } from './check/sort.js';
import { isOperator } from './operators.js';
import type { QueryScope, QuerySettings } from './settings.js';
import { wrongLocale } from './wrong-locale.js';

/**
 * Throws 400s for keys (rules A.7, A.12, A.13, B.9, C.2). Relations that the caller may not read are silently
 * dropped from populate.
 */
export function checkQuery(node: QueryNode, type: ContentType, scope: QueryScope): CheckedQuery {
  checkRoot(node, scope.settings);
  checkLocale(node, type, scope.settings);
  const of = (param: Param): CheckContext => ({ ...scope, param });
  if (node.filters) checkFilters(node.filters, type, of('filters'));
  checkSort(node.sort, type, of('sort'));
  if (node.fields) checkFields(node.fields, type, of('fields'));
  const root = { model: type, path: null, raw: null, depth: 1 };
  const populate = node.populate ? checkPopulate(node.populate, root, of('populate')) : new Map();
  if (node.keys.includes('lookup')) throw errors.validation('lookup-not-allowed', "Invalid params: 'lookup'");
  return { ...node, populate };
}

/** Throws if `locale` is an object with anything but operators. Ignored for types that are not localized. */
export function checkLocale(
  { locale, localeFilter }: Pick<QueryNode, 'locale' | 'localeFilter'>,
  type: ContentType,
  { strictValues }: QuerySettings,
): void {
  if (!localeFilter || !type.localized || strictValues) return;
  if (!isTest(localeFilter, true)) throw wrongLocale(locale);
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
