import type { Document } from 'bson';
import { fail } from '../errors.js';
import { bsonTypeOf, isNumeric } from '../values/index.js';
import { toDouble } from '../values/numbers.js';

const KINDS = new Set(['text', '2dsphere', '2d', 'hashed', 'columnstore']);
/** The maximum number of fields. */
const MOST_FIELDS = 32;
/** The field names of a DBRef, the only names with a dollar sign that can be indexed. */
const DBREF = new Set(['$ref', '$id', '$db']);
const WILDCARD = '$**';

const refuse = (reason: string): never => fail('CannotCreateIndex', reason);

function checkPath(path: string): void {
  const parts = path.split('.');
  if (parts.some((part) => part === '')) {
    refuse('Index key contains an illegal field name: field name is empty or has an empty part');
  }
  if (path.includes('\0')) refuse('Index key contains an illegal field name: null byte');
  const wild = parts.indexOf(WILDCARD);
  if (wild >= 0 && wild !== parts.length - 1) refuse(`Index key contains an illegal field name: ${path}`);
  parts.forEach((part, i) => {
    if (part.startsWith('$') && i !== wild && !(i > 0 && DBREF.has(part))) {
      refuse("Index key contains an illegal field name: field name starts with '$'.");
    }
  });
}

function checkKind(path: string, kind: unknown): void {
  if (typeof kind === 'string') {
    if (!KINDS.has(kind)) refuse(`Unknown index plugin '${kind}'`);
    if (path.endsWith(WILDCARD) && !(path === WILDCARD && kind === 'text'))
      refuse(`A wildcard index cannot be of the plugin '${kind}'`);
    return;
  }
  if (!isNumeric(kind)) refuse(`Values in v:2 index key pattern cannot be of type ${bsonTypeOf(kind)}`);
  if (!(Math.abs(toDouble(kind)) > 0)) {
    refuse('Values in the index key pattern cannot be 0.');
  }
  if (path.endsWith(WILDCARD) && toDouble(kind) < 0) {
    refuse('A numeric value in a wildcard index key pattern must be positive.');
  }
}

/** Checks an index's key pattern. Throws CannotCreateIndex, 13103 or 31303. */
export function checkKey(key: Document): void {
  const entries = Object.entries(key);
  if (entries.length === 0) refuse('Index keys cannot be an empty object');
  if (entries.length > MOST_FIELDS) fail(13103, 'too many compound keys');
  for (const [path, kind] of entries) {
    checkPath(path);
    checkKind(path, kind);
  }
  if (entries.filter(([, kind]) => kind === 'hashed').length > 1) {
    fail(31303, 'A maximum of one index field is allowed to be hashed');
  }
}

/** Whether a key pattern belongs to a wildcard index. */
export const isWildcard = (key: Document): boolean =>
  Object.keys(key).some((path) => path === WILDCARD || path.endsWith(`.${WILDCARD}`));
