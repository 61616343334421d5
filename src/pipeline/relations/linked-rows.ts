/**
 * References that name the locale of their target (rules F.3): an entry's `documentId` does not say which of its locales is meant, so
 * a row counts where a reference and the locale beside it are its own. Both are one text here, and texts are compared.
 */
import { owningNamed } from '../../query/attributes.js';
import { NO_LOCALE, type RelationHop } from '../../query/read-plan.js';
import type { ParentRule } from '../rows/locale.js';
import type { Expression } from '../types.js';
import { type Reference, referencesAt } from './gather.js';

type Linked = Pick<RelationHop, 'attribute' | 'linked' | 'target'>;

/** No documentId holds it. */
const BETWEEN = ' ';

const ownLocale: Expression = { $ifNull: ['$locale', NO_LOCALE] };

/** The row that a pipeline is at. */
export const rowKey: Expression = { $concat: ['$documentId', BETWEEN, ownLocale] };

/** The rows that the references at `base` name, in the entry or one of its items. */
export function linkedKeys(
  base: string,
  attribute: Reference & { readonly name: string },
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

/** What a row is compared with, by way of `let`; null where the locale of the entry, or none, decides. `prefix` as in `linkOf`. */
export function linkedRule({ attribute, linked, target }: Linked, prefix: string): ParentRule | null {
  if (!linked || attribute.kind === 'media') return null;
  const { otherwise } = linked;
  if (attribute.owner)
    return {
      let: { linked: linkedKeys(`$${prefix}`, attribute, otherwise) },
      match: { $expr: { $in: [rowKey, '$$linked'] } },
    };
  const owner = attribute.mappedBy ? owningNamed(target, attribute) : undefined;
  if (owner?.kind !== 'relation') return null;
  return {
    let: { self: rowKey },
    match: { $expr: { $in: ['$$self', linkedKeys('$', owner, otherwise)] } },
  };
}
