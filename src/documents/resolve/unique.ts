import { errors, type FieldError } from '../../errors.js';
import type { Entry } from '../../store/changes.js';
import { collectionName } from '../../store/collections.js';
import { isBson } from '../../values/bson.js';
import type { DocumentRef, DocumentsContext } from '../context.js';
import type { UniqueScalar, WritePlan } from '../plan/write-plan.js';

/** A value that no other published entry may have. */
interface UniqueValue {
  readonly path: readonly string[];
  /** Where to look for it: the path without positions, and the zone component it stands in. */
  readonly filter: Entry;
  readonly value: unknown;
}

/** One error for each unique value of a plan that is used twice in it, or by another published entry of the same locale (rules E.5). */
export async function findTaken(
  context: DocumentsContext,
  document: DocumentRef,
  plan: WritePlan,
): Promise<FieldError[]> {
  const values = uniqueValues(plan);
  const live = collectionName(document.type, 'published');
  const taken = await Promise.all(
    values.map(async (value) => {
      if (isRepeated(value, values)) return true;
      const rows = await context.read(
        live,
        {
          ...value.filter,
          documentId: { $ne: document.documentId },
          ...(document.type.localized && { locale: document.locale }),
        },
        ['documentId'],
      );
      return rows.length > 0;
    }),
  );
  return values.filter((_, at) => taken[at]).map(({ path, value }) => takenError(path, value));
}

/** Throws a 400 for unique values inside components that are taken; the index watches over the others. */
export async function refuseTaken(
  context: DocumentsContext,
  document: DocumentRef,
  plan: WritePlan,
): Promise<void> {
  if (!uniqueValues(plan).some(({ path }) => path.length > 1)) return;
  const taken = (await findTaken(context, document, plan)).filter(({ path }) => path.length > 1);
  if (taken.length > 0) throw errors.fields(taken);
}

const takenError = (path: readonly string[], value: unknown): FieldError => ({
  path,
  message: 'This attribute must be unique',
  name: 'ValidationError',
  value,
});

const isRepeated = (value: UniqueValue, values: readonly UniqueValue[]): boolean =>
  values.some((other) => other !== value && JSON.stringify(other.filter) === JSON.stringify(value.filter));

/** Null and the empty string are never compared; a list or an object is not a value that a filter can look for. */
const isComparable = (value: unknown): boolean =>
  value !== null &&
  value !== undefined &&
  value !== '' &&
  (typeof value !== 'object' || value instanceof Date || isBson(value));

const uniqueValues = ({ needs }: WritePlan): UniqueValue[] =>
  needs.unique.flatMap((scalar): UniqueValue[] => {
    const { entry, attribute } = scalar;
    const value = entry.values[attribute.name];
    if (!isComparable(value)) return [];
    return [{ path: [...entry.path, attribute.name], filter: filterFor(scalar, value), value }];
  });

function filterFor({ attribute, within }: UniqueScalar, value: unknown): Entry {
  return within.reduceRight<(prefix: string) => Entry>(
    (inner, step) => (prefix) =>
      step.attribute.kind === 'zone'
        ? {
            [`${prefix}${step.attribute.name}`]: {
              $elemMatch: { __component: step.component, ...inner('') },
            },
          }
        : inner(`${prefix}${step.attribute.name}.`),
    (prefix) => ({ [`${prefix}${attribute.name}`]: value }),
  )('');
}
