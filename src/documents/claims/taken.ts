import { errors, type FieldError, notUnique } from '../../errors.js';
import type { Entry } from '../../store/entries/changes.js';
import { isBson } from '../../values/bson.js';
import type { DocumentRef, ResolveContext, WritePlanContext } from '../context.js';
import { type Claim, claimsOfKind } from './claims-of.js';
import { type ClaimKind, claimKinds } from './kinds.js';

/** Whether an entry with the documentId `owner`, or matching a condition on it, has what the claim is for. */
export async function isHeld(
  { read }: ResolveContext,
  { collection, filter }: Claim,
  owner: unknown,
): Promise<boolean> {
  return (await read(collection, { ...filter, documentId: owner }, ['documentId'])).length > 0;
}

/**
 * One error for each unique value of `entry` that occurs twice in it or in another published entry of the
 * same locale.
 */
export async function findTaken(
  context: ResolveContext,
  document: DocumentRef,
  entry: Entry,
): Promise<FieldError[]> {
  const claims = uniqueClaims(claimKinds(context.schema, document.type), document, entry);
  const taken = await Promise.all(
    claims.map((claim) => isRepeated(claim, claims) || isHeld(context, claim, { $ne: document.documentId })),
  );
  return claims.filter((_, at) => taken[at]).flatMap(takenErrors);
}

/** Throws a 400 for unique values that occur twice in one entry. */
export function refuseRepeated({ schema }: WritePlanContext, document: DocumentRef, entry: Entry): void {
  // Only the attributes of components can have several values.
  const kinds = claimKinds(schema, document.type).filter(
    (kind) => kind.kind === 'unique' && kind.within.length > 0,
  );
  const claims = uniqueClaims(kinds, document, entry);
  const repeated = claims.filter((claim) => isRepeated(claim, claims)).flatMap(takenErrors);
  if (repeated.length > 0) throw errors.fields(repeated);
}

export const takenErrors = ({ places }: Claim): FieldError[] =>
  // A biginteger as answers have it.
  places.map(({ path, value }) => notUnique(path, isBson(value, 'Long') ? String(value) : value));

/** The claims for unique values that the published entry of a document would take. */
const uniqueClaims = (
  kinds: readonly ClaimKind[],
  { type, documentId, locale }: DocumentRef,
  entry: Entry,
): Claim[] => {
  const owned = { ...entry, documentId, locale };
  return kinds
    .filter(({ kind }) => kind !== 'oneToOne')
    .flatMap((kind) => claimsOfKind(kind, { type, status: 'published', entry: owned }));
};

const isRepeated = (claim: Claim, claims: readonly Claim[]): boolean =>
  claims.some((other) => other !== claim && other.id === claim.id);
