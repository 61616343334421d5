/**
 * AST → checked AST: every key exists and is allowed to the caller, or a 400 names it. Order as Strapi: filters, sort, fields,
 * populate (rules A.5); values are the plan's business.
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

/** Throws the 400s of keys (rules A.7, A.12, A.13, B.9, C.2); relations that the caller may not read leave populate silently. */
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

/** Throws where `locale` is an object that holds anything but operators. On types without locales it is ignored. */
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
