import { errors, type FieldError, notUnique } from '../../errors.js';
import type { Schema } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import type { DocumentRef, PlanContext, ResolveContext } from '../context.js';
import { type Claim, claimsOf } from './claims-of.js';

/** The entry of a claim's kind that holds the same, by another document or by `owner`. */
export async function isHeld(
  { read }: ResolveContext,
  { collection, filter }: Claim,
  owner: unknown,
): Promise<boolean> {
  return (await read(collection, { ...filter, documentId: owner }, ['documentId'])).length > 0;
}

/** One error for each unique value of `entry` that is used twice in it, or by another published entry of the same locale (rules E.5). */
export async function findTaken(
  context: ResolveContext,
  document: DocumentRef,
  entry: Entry,
): Promise<FieldError[]> {
  const claims = uniqueClaims(context.schema, document, entry);
  const taken = await Promise.all(
    claims.map((claim) => isRepeated(claim, claims) || isHeld(context, claim, { $ne: document.documentId })),
  );
  return claims.filter((_, at) => taken[at]).flatMap(takenErrors);
}

/** Throws a 400 for unique values that an entry holds twice. */
export function refuseRepeated({ schema }: PlanContext, document: DocumentRef, entry: Entry): void {
  const claims = uniqueClaims(schema, document, entry);
  const repeated = claims.filter((claim) => isRepeated(claim, claims)).flatMap(takenErrors);
  if (repeated.length > 0) throw errors.fields(repeated);
}

export const takenErrors = ({ places }: Claim): FieldError[] =>
  places.map(({ path, value }) => notUnique(path, value));

/** What the published entry of a document would claim by its unique values. */
const uniqueClaims = (schema: Schema, { type, documentId, locale }: DocumentRef, entry: Entry): Claim[] =>
  claimsOf(schema, type, 'published', { ...entry, documentId, locale }).filter(
    ({ places }) => places.length > 0,
  );

const isRepeated = (claim: Claim, claims: readonly Claim[]): boolean =>
  claims.some((other) => other !== claim && other.id === claim.id);
