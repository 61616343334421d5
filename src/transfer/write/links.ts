import { hasInverseList } from '../../documents/relations/apply-links.js';
import type { StoredLink } from '../../documents/relations/stored-links.js';
import { NO_LOCALE } from '../../query/read-plan.js';
import { relationKey } from '../../schema/model/across-locales.js';
import type { ContentType, MediaAttribute, Model, RelationAttribute } from '../../schema/types.js';
import { type EntryRow, type LinkRow, linksIn, parseRowKey } from '../run/rows.js';
import { lost } from '../source/types.js';
import type { BuildTools, VersionToBuild, Where } from './tools.js';

/**
 * The locale stored beside a reference, if it differs from the one in which the target would be looked up.
 */
function localeBeside(
  { defaultLocale }: BuildTools,
  target: ContentType,
  { locale }: EntryRow,
  { type, row }: VersionToBuild,
): string | null {
  if (!target.localized) return null;
  const named = locale ?? NO_LOCALE;
  return named === (type.localized ? (row.locale ?? NO_LOCALE) : defaultLocale) ? null : named;
}

/** The references of an attribute in the order of the source, each document once. */
export function storedLinks(
  tools: BuildTools,
  { model, attribute }: { readonly model: Model; readonly attribute: RelationAttribute | MediaAttribute },
  held: readonly LinkRow[],
  { version, at }: Where,
): readonly StoredLink[] {
  const { schema } = tools;
  const ordered = attribute.kind === 'relation' && hasInverseList(schema, attribute);
  const leave = (to: string, why: string): void =>
    tools.report(lost('link', `${at} ${attribute.name} → ${to}`, why));
  const found = new Map<string, StoredLink>();
  const given = new Set<string>();
  for (const { to, standIn, inversePosition, fromInverse } of linksIn(held, attribute.name)) {
    if (!fromInverse && given.has(to) && !version.copy) tools.repeated(`${model.uid} ${attribute.name}`);
    if (!fromInverse) given.add(to);
    const { uid } = parseRowKey(to);
    const target = tools.target(to);
    const type = schema.contentTypes.get(uid);
    if (!target?.documentId || !type) {
      leave(to, `${to} is not in the source`);
      continue;
    }
    const locale = standIn ? null : localeBeside(tools, type, target, version);
    if (locale !== null && version.type.localized)
      tools.crossesLocales(relationKey(model.uid, attribute.name));
    const stored: StoredLink = {
      documentId: target.documentId,
      type: attribute.kind === 'relation' && attribute.target === null ? uid : null,
      order: ordered ? inversePosition : null,
      locale,
    };
    const key = [stored.type, stored.documentId, stored.locale].join(' ');
    // An entry without Draft & Publish may refer to both versions of a target.
    if (!found.has(key)) found.set(key, stored);
  }
  const links = [...found.values()];
  const [first, ...more] = links;
  if (attribute.many || !first) return links;
  for (const { documentId } of more)
    leave(documentId, `${attribute.name} holds one reference, and has ${first.documentId}`);
  return [first];
}
