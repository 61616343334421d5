import type { ContentType } from '../../schema/types.js';
import type { FilterNode, QueryNode } from '../ast.js';
import { isOperator } from '../operators.js';
import type { QuerySettings } from '../settings.js';
import { wrongLocale } from '../wrong-locale.js';

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
