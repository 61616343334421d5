import { type Document, Long } from 'bson';
import { fail } from '../../errors.js';
import { aBoolean, argument, aString } from '../../expressions/argument.js';
import { type Members, readMembers, saying } from '../../expressions/operator.js';
import { checkPath, memberGetter } from '../../values/paths.js';
import { isDocument } from '../../values/types.js';
import { tick } from '../../values/work.js';
import { type CompileStage, expandStage } from '../stage.js';

/** The value at a path through documents only; an array on the path ends it. */
function reader(path: string): (document: Document) => unknown {
  const getters = path.split('.').map(memberGetter);
  return (document) => {
    let value: unknown = document;
    for (const get of getters) value = isDocument(value) ? get(value) : undefined;
    return value;
  };
}

/** A copy of a document with another value at a path; `undefined` removes it. */
function withValue(document: Document, parts: readonly string[], at: number, value: unknown): Document {
  const name = parts[at] as string;
  const last = at + 1 === parts.length;
  const inner = last
    ? value
    : withValue(isDocument(document[name]) ? document[name] : {}, parts, at + 1, value);
  if (inner !== undefined) return { ...document, [name]: inner };
  const { [name]: _removed, ...rest } = document;
  return rest;
}

const MEMBERS: Members = {
  object: saying(15981, 'expected either a string or an object as specification for $op stage'),
  unknown: saying(28811, 'unrecognized option to $op stage: $key'),
  required: ['path'],
  missing: saying(28812, 'no path specified to $op stage'),
  literals: {
    path: aString(28808, 'expected a string as the path for $op stage'),
    includeArrayIndex: argument((value): value is unknown => typeof value === 'string' && value !== '')(
      28810,
      'expected a non-empty string for the includeArrayIndex option to $op stage',
    ),
    preserveNullAndEmptyArrays: aBoolean(
      28809,
      'expected a boolean for the preserveNullAndEmptyArrays option to $op stage',
    ),
  },
};

/** `$unwind`. */
export const unwind: CompileStage = (operand, _within, name) => {
  const spec = readMembers(name, typeof operand === 'string' ? { path: operand } : operand, MEMBERS);
  const { path: reference, includeArrayIndex: index, preserveNullAndEmptyArrays: preserve = false } = spec;
  if (!reference.startsWith('$'))
    fail(28818, `path option to $unwind stage should be prefixed with a '$': ${reference}`);
  const path: string = reference.slice(1);
  checkPath(path);
  if (index?.startsWith('$'))
    fail(28822, "includeArrayIndex option to $unwind stage should not be prefixed with a '$'");
  const read = reader(path);
  const parts = path.split('.');
  const place: string[] | undefined = index?.split('.');
  const numbered = (document: Document, at: number | null): Document =>
    place === undefined ? document : withValue(document, place, 0, at === null ? null : Long.fromNumber(at));
  const expand = (document: Document): Document[] => {
    const value = read(document);
    if (Array.isArray(value) && value.length > 0) {
      return value.map((item, i) => {
        tick();
        return numbered(withValue(document, parts, 0, item), i);
      });
    }
    if (Array.isArray(value))
      return preserve ? [numbered(withValue(document, parts, 0, undefined), null)] : [];
    if (value === null || value === undefined) return preserve ? [numbered(document, null)] : [];
    return [numbered(document, null)];
  };
  return expandStage(expand);
};
