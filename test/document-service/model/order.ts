/** Lists of relations after a write (rules F.1, F.2), for either side: members are keys, whatever they represent. */
import { invalid, type Refusal } from './refusal.js';

export interface Anchor {
  readonly at: 'before' | 'after';
  readonly key: string;
  /** The numeric id shown in messages. */
  readonly id: number | null;
  /** Shown in messages. */
  readonly locale?: string;
}

export interface Connection {
  readonly key: string;
  readonly id: number | null;
  /** `none`: at the end, too. */
  readonly position: Anchor | { readonly at: 'start' | 'end' | 'none'; readonly locale?: string };
}

export type ListChange =
  | { readonly kind: 'set'; readonly keys: readonly string[] }
  | {
      readonly kind: 'change';
      readonly connect: readonly Connection[];
      readonly disconnect: readonly string[];
      readonly strict: boolean;
    };

/** The keys after a change. A to-one keeps the last key of a set, but the first of a connect. */
export function changed(
  many: boolean,
  current: readonly string[],
  change: ListChange,
  refuse: (refusal: Refusal) => void,
): string[] {
  if (change.kind === 'set') {
    const unique = [...new Set(change.keys)];
    return many ? unique : unique.slice(-1);
  }
  const kept = (keys: readonly string[]): string[] => keys.filter((key) => !change.disconnect.includes(key));
  // What is disconnected by the same call may be an anchor.
  if (many) return kept(connected(current, change.connect, change.strict, refuse));
  const [first] = change.connect;
  return first ? [first.key] : kept(current);
}

function connected(
  kept: readonly string[],
  connect: readonly Connection[],
  strict: boolean,
  refuse: (refusal: Refusal) => void,
): string[] {
  const unique = new Map<string, Connection>();
  for (const connection of connect) {
    const known = unique.get(connection.key);
    if (known && positionText(known) !== positionText(connection))
      refuse(
        invalid(
          `The relation with id ${connection.id} is already connected. You cannot connect the same relation twice.`,
        ),
      );
    unique.set(connection.key, connection);
  }
  let list = [...kept];
  const placed = new Set(kept);
  const visit = (connection: Connection, branch: readonly string[]): void => {
    const { key, position } = connection;
    if (branch.includes(key)) {
      refuse(circle);
      return;
    }
    if (placed.has(key) && branch.length > 0) return;
    // An anchor in the same `connect` is placed first.
    const anchor = 'key' in position && !placed.has(position.key) ? unique.get(position.key) : undefined;
    if (anchor) visit(anchor, [...branch, key]);
    else if ('key' in position && !placed.has(position.key) && strict) refuse(notConnected(connection));
    list = list.filter((other) => other !== key);
    list.splice(placeIn(list, connection), 0, key);
    placed.add(key);
    unique.delete(key);
  };
  for (const connection of [...unique.values()]) if (unique.has(connection.key)) visit(connection, []);
  return list;
}

const circle = invalid(
  'A circular reference was found in the connect array. One relation is trying to connect before/after another one that is trying to connect before/after it',
);

function placeIn(list: readonly string[], { position }: Connection): number {
  if (position.at === 'start') return 0;
  const anchor = 'key' in position ? list.indexOf(position.key) : -1;
  if (anchor < 0) return list.length;
  return position.at === 'before' ? anchor : anchor + 1;
}

const positionText = ({ position }: Connection): string =>
  JSON.stringify({
    [position.at]: 'key' in position ? position.id : true,
    ...(position.locale && { locale: position.locale }),
  });

const notConnected = (connection: Connection): Refusal =>
  invalid(
    `There was a problem connecting relation with id ${connection.id} at position ${positionText(connection)}. The relation with id ${'key' in connection.position ? connection.position.id : ''} needs to be connected first.`,
  );
