/** Compares the name of a field with the names of a key and of the collection that has it. */
import type { Agreement, Inspected } from './inspected.js';
import type { Candidate } from './model.js';
import { kebab, namesId, stemOf } from './names.js';

/** Keys whose name does not say of what. */
const ANONYMOUS: ReadonlySet<string> = new Set(['_id', 'id']);

/**
 * `student_id` means `students._id` and `students.id`, `airline.id` means `airlines.id`, `theaterId` means
 * `theaters.theaterId`, and `accounts` means `accounts.account_id`.
 */
export function agreementOf(
  { field, path }: Candidate,
  { facts, name }: Inspected,
  target: string,
): Agreement | null {
  const own = [stemOf(facts.name), name.singular];
  const last = kebab(target.split('.').at(-1) ?? '');
  const isSame = kebab(field) === last;
  const said = ANONYMOUS.has(field) ? path.split('.').at(-2) : field;
  const stem = stemOf(said ?? '');
  const means = (collection: string): boolean =>
    stem === collection || stem.endsWith(`-${collection}`) || collection.endsWith(`-${stem}`);
  if (ANONYMOUS.has(target)) {
    if (stem !== '' && own.some(means)) return 'collection';
    return isSame && path === field ? 'field' : null;
  }
  if (isSame) return own.some(means) ? 'collection' : 'field';
  const joined = own.some((collection) => kebab(field) === `${collection}-${last}`);
  const named = own.some((collection) => collection === stem && collection === stemOf(last));
  return joined || named ? 'collection' : null;
}

const CODES =
  /(^|-)(code|sku|isbn|issn|ean|gtin|iso|iata|icao|uuid|guid|slug|permalink|email|username|login)$/;

/** Whether the name says that the value identifies something. */
export const identifies = (field: string): boolean => namesId(field) || CODES.test(kebab(field));
