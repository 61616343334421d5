/** Recognizes copies: of whole documents in another collection, and of some fields of a document that is referred to. */
import { identifies } from './agreement.js';
import { type FoundReference, type Inspected, isUniquePath } from './inspected.js';
import { stemOf } from './names.js';
import { kindsOf } from './statistics.js';

/** Share of the ids that two collections have in common if one has copies of the other's documents. */
const SHARED = 0.1;

/**
 * Whether documents of both collections have the same ids, which are unique across collections: a backup, an archive, or
 * a part of the documents with more fields. Their equal values are copies.
 */
export function shareDocuments(one: Inspected, other: Inspected): boolean {
  const [a, b] = [idsOf(one), idsOf(other)];
  if (one === other || !a || !b) return false;
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  const shared = [...small.keys()].filter((id) => large.has(id)).length;
  return shared > 0 && shared >= small.size * SHARED;
}

function idsOf({ values }: Inspected): ReadonlyMap<string, number> | null {
  const ids = values.fields?.get('_id');
  return ids?.distinct && kindsOf(ids).every((kind) => kind === 'objectId' || kind === 'uuid')
    ? ids.distinct
    : null;
}

/**
 * The references without copied fields: a document with `user_id`, or with `email`, and with `name` has one relation to
 * users, not two, and so has one with `user_id` and `user: { name, email }`.
 */
export const withoutCopies = (found: readonly FoundReference[]): readonly FoundReference[] =>
  found.filter(
    (each, at) =>
      !isCopied(each) ||
      !found.some((other, place) => isBeside(other, each) && isBetter(other, each, place < at)),
  );

/** Whether nothing but the name of the target's field says what is meant, so that it may be a copy of it. */
const isCopied = ({ agreement }: FoundReference): boolean => agreement === 'field';

/** Whether both refer to the same collection by different keys, from one document or from the one that it describes. */
function isBeside(other: FoundReference, each: FoundReference): boolean {
  if (other.from !== each.from || other.to !== each.to || other.path === each.path) return false;
  const [folder, place] = [folderOf(other), folderOf(each)];
  return place === folder || (place.startsWith(folder) && describes(place.slice(folder.length, -1), other));
}

const folderOf = ({ candidate: { path, field } }: FoundReference): string =>
  path.slice(0, path.lastIndexOf(field));

const describes = (name: string, { candidate }: FoundReference): boolean =>
  stemOf(name) === stemOf(candidate.field);

/** Whether another reference says more certainly than a copied field which document is meant. */
function isBetter(other: FoundReference, each: FoundReference, isFirst: boolean): boolean {
  if (!isCopied(other)) return true;
  const [a, b] = [certaintyOf(other), certaintyOf(each)];
  const differing = a.findIndex((value, at) => value !== b[at]);
  return differing === -1 ? isFirst : Number(a[differing]) > Number(b[differing]);
}

const certaintyOf = ({ candidate, to, path, repeated }: FoundReference): readonly number[] => [
  Number(isUniquePath(to.facts, path)),
  Number(identifies(candidate.field)),
  -repeated,
];
