import { isDeepStrictEqual } from 'node:util';
import { errors } from '../../errors.js';
import type { PlainObject } from '../../values/plain-object.js';
import type { Link, NamedTarget, Position } from '../plan/relation-input.js';

/** Where to insert a connected item; `anchor` is the key of another item. */
export type ConnectPosition =
  | Extract<Position, { at: 'start' | 'end' }>
  | {
      readonly at: 'before' | 'after';
      readonly anchor: string;
      readonly anchorId: number;
      /** See `Position`. */
      readonly given: PlainObject;
    };

/**
 * The position of a link. As in Strapi, it has the default locale where a source without locales links a documentId and
 * names none.
 * @param defaultLocale null: the source has locales
 */
export function positionOf({ position, documentId, locale }: Link, defaultLocale: string | null): Position {
  const { given } = position;
  return given !== null && documentId !== null && locale === null && defaultLocale !== null
    ? { ...position, given: { ...given, locale: given['locale'] ?? defaultLocale } }
    : position;
}

/** A position whose anchor is resolved by `find` to its key and number. */
export const resolvePosition = (
  position: Position,
  find: (named: NamedTarget) => { readonly anchor: string; readonly anchorId: number },
): ConnectPosition => ('anchor' in position ? { ...position, ...find(position.anchor) } : position);

/** One member of `connect`. `id` is shown in messages. */
export interface ConnectTarget {
  readonly key: string;
  readonly id: number;
  readonly place: ConnectPosition;
}

/**
 * The list after connecting. A target that is already connected moves; without a position, to the end.
 * Members of `connect` may be each other's anchors in any order. Throws a 400 for an anchor that is not
 * connected (if `strict`), a cycle, or a target with two positions.
 */
export function connectInOrder(
  current: readonly string[],
  connect: readonly ConnectTarget[],
  strict: boolean,
): string[] {
  let list = [...current];
  for (const { key, place } of sortConnections(new Set(current), dropRepeats(connect), strict)) {
    list = list.filter((item) => item !== key);
    list.splice(indexOf(list, place), 0, key);
  }
  return list;
}

function indexOf(list: readonly string[], place: ConnectPosition): number {
  if (place.at === 'start') return 0;
  const anchor = 'anchor' in place ? list.indexOf(place.anchor) : -1;
  if (anchor < 0) return list.length;
  return place.at === 'before' ? anchor : anchor + 1;
}

/** One connection per target. Throws a 400 if a target is given two different positions: as in Strapi, as they are written. */
function dropRepeats(connect: readonly ConnectTarget[]): Map<string, ConnectTarget> {
  const byKey = new Map<string, ConnectTarget>();
  for (const connection of connect) {
    const earlier = byKey.get(connection.key);
    if (earlier && !isDeepStrictEqual(written(earlier.place), written(connection.place)))
      throw errors.validation(
        'relation-connected-twice',
        `The relation with id ${connection.id} is already connected. You cannot connect the same relation twice.`,
      );
    byKey.set(connection.key, connection);
  }
  return byKey;
}

/** Sorts connections so that anchors come before the items that refer to them. */
function sortConnections(
  current: ReadonlySet<string>,
  byKey: ReadonlyMap<string, ConnectTarget>,
  strict: boolean,
): ConnectTarget[] {
  const sorted: ConnectTarget[] = [];
  const done = new Set<string>();
  const visit = (connection: ConnectTarget, branch: ReadonlySet<string>): void => {
    if (done.has(connection.key)) return;
    const { place } = connection;
    let placed = connection;
    if ('anchor' in place && place.anchor === connection.key) throw circle();
    if ('anchor' in place && !current.has(place.anchor)) {
      const anchor = byKey.get(place.anchor);
      if (branch.has(place.anchor)) throw circle();
      if (anchor) visit(anchor, new Set(branch).add(connection.key));
      else if (strict) throw notConnected(connection);
      else placed = { ...connection, place: { at: 'end', given: null } };
    }
    done.add(connection.key);
    sorted.push(placed);
  };
  for (const connection of byKey.values()) visit(connection, new Set());
  return sorted;
}

/** The position as received, with the anchor's number. */
const written = (place: ConnectPosition): PlainObject | null =>
  'anchor' in place ? { ...place.given, [place.at]: place.anchorId } : place.given;

const circle = () =>
  errors.validation(
    'relation-positions-circular',
    'A circular reference was found in the connect array. One relation is trying to connect before/after another one that is trying to connect before/after it',
  );

const notConnected = ({ id, place }: ConnectTarget) =>
  errors.validation(
    'relation-anchor-missing',
    `There was a problem connecting relation with id ${id} at position ${JSON.stringify(written(place))}. The relation with id ${'anchor' in place ? place.anchorId : ''} needs to be connected first.`,
  );

/**
 * Numbers for the members of an inverse list (`_links.<attribute>.order` of the owning entries), so that they
 * sort as `wanted`. Members of `known` keep their number unless they moved; one inserted between two others
 * gets the number halfway between them, one at the end a fresh number from the id sequence. Returns the new
 * and changed numbers.
 */
export function placeInOrder(
  wanted: readonly string[],
  known: ReadonlyMap<string, number>,
  moved: ReadonlySet<string>,
  fresh: () => number,
): Map<string, number> {
  const changed = new Map<string, number>();
  let last = Number.NEGATIVE_INFINITY;
  let renumber = false;
  wanted.forEach((key, at) => {
    const kept = moved.has(key) ? undefined : known.get(key);
    if (!renumber && kept !== undefined && kept > last) {
      last = kept;
      return;
    }
    const next = renumber ? undefined : nextKept(wanted, at, known, moved);
    const number = next === undefined ? fresh() : between(last, next);
    // No room left between two floats: renumber everything from here on.
    renumber ||= next !== undefined && !(number > last && number < next);
    last = renumber && next !== undefined ? fresh() : number;
    changed.set(key, last);
  });
  return changed;
}

function nextKept(
  wanted: readonly string[],
  from: number,
  known: ReadonlyMap<string, number>,
  moved: ReadonlySet<string>,
): number | undefined {
  for (const key of wanted.slice(from + 1)) {
    const number = moved.has(key) ? undefined : known.get(key);
    if (number !== undefined) return number;
  }
  return undefined;
}

const between = (low: number, high: number): number =>
  Number.isFinite(low) ? low + (high - low) / 2 : high - 1;
