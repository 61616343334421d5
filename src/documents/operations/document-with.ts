import { errors, fieldError } from '../../errors.js';
import { uniqueAttributes } from '../../schema/find.js';
import { scalarOf } from '../../schema/scalars/index.js';
import { collectionName, statusesOf } from '../../schema/stored/collections.js';
import { objectAt } from '../../values/plain-object.js';
import type { BuildContext, ResolveContext } from '../context.js';
import { writeLocale } from './locales.js';

interface Sought {
  /** A unique attribute. */
  readonly name: string;
  /** The body that has the value. */
  readonly data: object;
  readonly locale: unknown;
}

/**
 * The document that has a value of a unique attribute, in its draft or published; null if there is none. Throws a
 * 400 if several have it, as drafts may, or if the value cannot be one.
 */
export async function documentWith(
  { type, config, read }: ResolveContext & Pick<BuildContext, 'type'>,
  { name, data, locale: given }: Sought,
): Promise<string | null> {
  const attribute = uniqueAttributes(type).find((one) => one.name === name);
  if (type.storage || !attribute)
    throw errors.validation('upsert-not-possible', `No document of ${type.uid} can be found by ${name}`);
  const sent = objectAt(data)[name] ?? null;
  if (sent === null || sent === '')
    throw errors.fields([fieldError([name], `${name} is needed to find the document`, sent)]);
  const cast = scalarOf(attribute.type).fromQuery(sent);
  if (!('value' in cast)) throw errors.fields([fieldError([name], cast.message, sent)]);
  const locale = writeLocale(type, given, config.plugins.i18n.defaultLocale);
  const filter = { [name]: cast.value, ...(type.localized && { locale }) };
  const found = await Promise.all(
    statusesOf(type).map((status) =>
      read(collectionName(type, status), filter, ['documentId', name, 'locale']),
    ),
  );
  const [documentId = null, ...others] = new Set(found.flat().map((entry) => String(entry['documentId'])));
  if (others.length > 0)
    throw errors.application('upsert-ambiguous', `Several documents of ${type.uid} have this ${name}`);
  return documentId;
}
