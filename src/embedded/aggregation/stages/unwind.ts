import { type Document, Long } from 'bson';
import { fail } from '../../errors.js';
import { checkPath, memberGetter } from '../../values/paths.js';
import { isDocument } from '../../values/types.js';
import { tick } from '../../values/work.js';
import { type CompileStage, expandStage } from '../stage.js';

/** The value at a path of documents only; arrays on the way end it. */
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

interface Options {
  readonly path: string;
  readonly index: string | undefined;
  readonly preserve: boolean;
}

function parse(operand: unknown): Options {
  const spec = typeof operand === 'string' ? { path: operand } : operand;
  if (!isDocument(spec))
    return fail(15981, `expected either a string or an object as specification for $unwind stage`);
  for (const key of Object.keys(spec)) {
    if (!['path', 'includeArrayIndex', 'preserveNullAndEmptyArrays'].includes(key))
      fail(28811, `unrecognized option to $unwind stage: ${key}`);
  }
  const { path, includeArrayIndex, preserveNullAndEmptyArrays = false } = spec as Document;
  if (path === undefined) return fail(28812, 'no path specified to $unwind stage');
  if (typeof path !== 'string') return fail(28808, 'expected a string as the path for $unwind stage');
  if (!path.startsWith('$'))
    return fail(28818, `path option to $unwind stage should be prefixed with a '$': ${path}`);
  checkPath(path.slice(1));
  if (
    includeArrayIndex !== undefined &&
    (typeof includeArrayIndex !== 'string' || includeArrayIndex === '')
  ) {
    fail(28810, 'expected a non-empty string for the includeArrayIndex option to $unwind stage');
  }
  if (String(includeArrayIndex).startsWith('$'))
    fail(28822, "includeArrayIndex option to $unwind stage should not be prefixed with a '$'");
  if (typeof preserveNullAndEmptyArrays !== 'boolean')
    fail(28809, 'expected a boolean for the preserveNullAndEmptyArrays option to $unwind stage');
  return { path: path.slice(1), index: includeArrayIndex, preserve: preserveNullAndEmptyArrays };
}

/** `$unwind`. */
export const unwind: CompileStage = (operand) => {
  const { path, index, preserve } = parse(operand);
  const read = reader(path);
  const parts = path.split('.');
  const place = index?.split('.');
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
