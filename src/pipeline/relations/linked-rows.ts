/**
 * References that name the locale of their target. A `documentId` does not say which locale is meant, so a
 * row matches only if both agree. Each pair of documentId and locale is compared as one string.
 */
import { owningNamed } from '../../query/attributes.js';
import { NO_LOCALE, type RelationHop } from '../../query/read-plan.js';
import type { ParentRule } from '../rows/locale.js';
import type { Expression } from '../types.js';
import { type ReferenceAttribute, referencesAt } from './item-expressions.js';

type Linked = Pick<RelationHop, 'attribute' | 'linked' | 'target'>;

/** Separator that no documentId contains. */
const BETWEEN = ' ';

const ownLocale: Expression = { $ifNull: ['$locale', NO_LOCALE] };

/** The key of the current row of a pipeline. */
export const currentRowKey: Expression = { $concat: ['$documentId', BETWEEN, ownLocale] };

/** The keys of the rows that the references at `base` name, in the entry or one of its items. */
export function linkedKeys(
  base: string,
  attribute: ReferenceAttribute & { readonly name: string },
  otherwise: string | null,
): Expression {
  const references = referencesAt(base, attribute);
  const locales: Expression = { $ifNull: [`${base}_links.${attribute.name}.locale`, []] };
  const unnamed = otherwise === null ? ownLocale : { $literal: otherwise };
  const at = (list: Expression): Expression => ({ $arrayElemAt: [list, '$$n'] });
  return {
    $map: {
      input: { $range: [0, { $size: [references] }] },
      as: 'n',
      in: {
        $concat: [{ $ifNull: [at(references), ''] }, BETWEEN, { $ifNull: [at(locales), unnamed] }],
      },
    },
  };
}

/**
 * How a row is compared with the entry, via `let`; null if the locale of the entry decides, or none. `prefix`
 * as in `linkOf`.
 */
export function linkedRule({ attribute, linked, target }: Linked, prefix: string): ParentRule | null {
  if (!linked || attribute.kind === 'media') return null;
  const { otherwise } = linked;
  if (attribute.owner)
    return {
      let: { linked: linkedKeys(`$${prefix}`, attribute, otherwise) },
      match: { $expr: { $in: [currentRowKey, '$$linked'] } },
    };
  const owner = attribute.mappedBy ? owningNamed(target, attribute) : undefined;
  if (owner?.kind !== 'relation') return null;
  return {
    let: { self: currentRowKey },
    match: { $expr: { $in: ['$$self', linkedKeys('$', owner, otherwise)] } },
  };
}
