import type { FieldError } from '../../errors.js';
import type { Model } from '../../schema/types.js';
import type { Entry } from '../../store/changes.js';
import { collectionName } from '../../store/collections.js';
import { isBson } from '../../values/bson.js';
import { itemsAt } from '../build/copy.js';
import type { DocumentsContext, Source } from '../context.js';

/** A value that no other published entry may have. */
interface Claim {
  readonly path: readonly string[];
  /** Where to look for it: the path without positions, and the zone component it stands in. */
  readonly filter: Entry;
  readonly value: unknown;
}

/** One error for each unique value of `entry` that is used twice in it, or by another published entry of the same locale (rules E.5). */
export async function findTaken(
  context: DocumentsContext,
  source: Source,
  entry: Entry,
): Promise<FieldError[]> {
  const claims = claimsOf(context, source.type, entry);
  const live = collectionName(source.type, 'published');
  const taken = await Promise.all(
    claims.map(async (claim) => {
      if (isRepeated(claim, claims)) return true;
      const rows = await context.read(
        live,
        {
          ...claim.filter,
          documentId: { $ne: source.documentId },
          ...(source.type.localized && { locale: source.locale }),
        },
        ['documentId'],
      );
      return rows.length > 0;
    }),
  );
  return claims.filter((_, at) => taken[at]).map(({ path, value }) => takenError(path, value));
}

/** The unique values inside components: no index holds these, so they are checked before writing. */
export async function findTakenInComponents(
  context: DocumentsContext,
  source: Source,
  entry: Entry,
): Promise<FieldError[]> {
  if (!claimsOf(context, source.type, entry).some(({ path }) => path.length > 1)) return [];
  const taken = await findTaken(context, source, entry);
  return taken.filter(({ path }) => path.length > 1);
}

const takenError = (path: readonly string[], value: unknown): FieldError => ({
  path,
  message: 'This attribute must be unique',
  name: 'ValidationError',
  value,
});

const isRepeated = (claim: Claim, claims: readonly Claim[]): boolean =>
  claims.some((other) => other !== claim && JSON.stringify(other.filter) === JSON.stringify(claim.filter));

/** A value that a filter can look for as it is: no list or object of a caller. */
const isComparable = (value: unknown): boolean =>
  typeof value !== 'object' || value instanceof Date || isBson(value);

function claimsOf(
  context: DocumentsContext,
  model: Model,
  entry: Entry,
  path: readonly string[] = [],
  wrap: (name: string, value: unknown) => Entry = (name, value) => ({ [name]: value }),
): Claim[] {
  if (typeof entry !== 'object' || entry === null) return [];
  const claims: Claim[] = [];
  for (const attribute of model.attributes.values()) {
    const value = entry[attribute.name];
    if (attribute.system || value === null || value === undefined || value === '') continue;
    if (attribute.kind === 'scalar' && attribute.unique && isComparable(value))
      claims.push({ path: [...path, attribute.name], filter: wrap(attribute.name, value), value });
  }
  for (const { item, model: inner, attribute, path: at } of itemsAt(context.schema, model, entry)) {
    const nested = (name: string, value: unknown): Entry =>
      attribute.kind === 'zone'
        ? wrap(attribute.name, { $elemMatch: { __component: inner.uid, [name]: value } })
        : wrap(`${attribute.name}.${name}`, value);
    claims.push(...claimsOf(context, inner, item, [...path, ...at], nested));
  }
  return claims;
}
