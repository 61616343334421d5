import { FILE_UID } from '../../schema/uids.js';
import { isObject, numberOf, objectAt, type PlainObject, textOf } from '../../values/plain-object.js';
import type { RawSource } from '../source/types.js';
import { expectedKey } from './expected.js';

export type RawArchive = Extract<RawSource, { kind: 'archive' }>;

const STAGES = new Set(['schemas', 'entities', 'links', 'configuration', 'mangrove', 'assets']);

/** The part of a path that Strapi gave it, without a folder around everything. */
export const splitStage = (path: string): readonly [stage: string, rest: string] => {
  const [first = '', second = '', ...more] = path.split('/');
  return STAGES.has(first) || !STAGES.has(second)
    ? [first, [second, ...more].join('/')]
    : [second, more.join('/')];
};

/** `rawLinks`: every link of an archive, by the key of its holder. */
export interface RawLink {
  readonly _id: number;
  readonly holder: string;
  readonly field: string;
  readonly to: string;
  readonly pos: number | null;
  readonly anyLocale: boolean;
}

/** The two ends of a link as the holder of the attribute and what it refers to; null if neither. */
export function rawLink(line: PlainObject): Omit<RawLink, '_id'> | null {
  const { left, right, kind, mangrove } = line;
  if (!isObject(left) || !isObject(right)) return null;
  const [a, b] = [endOf(left), endOf(right)];
  if (!a || !b || /^admin::/.test(a.uid) || /^admin::/.test(b.uid)) return null;
  const isOfFile = a.uid === FILE_UID && a.field === 'related' && b.field !== '';
  const [holder, target] = isOfFile ? [b, a] : [a, b];
  return {
    holder: expectedKey(holder.uid, holder.ref),
    field: holder.field,
    to: expectedKey(target.uid, target.ref),
    pos: isOfFile || kind === 'relation.morph' ? b.pos : a.pos,
    anyLocale: objectAt(mangrove)['standIn'] === true,
  };
}

const endOf = ({ type, ref, field, pos }: PlainObject) =>
  typeof type === 'string' && ref !== undefined
    ? { uid: type, ref: String(ref), field: textOf(field) ?? '', pos: numberOf(pos) }
    : null;
