/** The values that queries name: those of both worlds, visible or not, and parts of them. */

import type { Random } from '../../../packages/engine/test/support/random.js';
import { collectionsOf, historyName } from '../../../src/schema/stored/collections.js';
import type { TestServer } from '../test-server.js';

export interface Values {
  /** A value that some attribute of this name has, or a part of it. */
  of(random: Random, name: string): string;
  /** A documentId and numeric id that some entry has. */
  documentId(random: Random): string;
  id(random: Random): string;
  /** Whether it is the documentId of an entry, file or account that existed at the start. */
  isKnown(documentId: string): boolean;
}

const LIMIT = 400;

export async function valuesOf(servers: readonly TestServer[]): Promise<Values> {
  const found = new Map<string, Set<string>>();
  const note = (name: string, value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) note(name, one);
    else if (value instanceof Date) note(name, value.toISOString());
    else if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype)
      for (const [key, inner] of Object.entries(value)) note(key, inner);
    else if (value !== null && value !== undefined) {
      const known = found.get(name) ?? new Set();
      if (known.size < LIMIT) known.add(String(value));
      found.set(name, known);
    }
  };
  for (const { project } of servers) {
    const types = [...project.schema.contentTypes.values()].filter(({ origin }) => origin === 'api');
    const names = [...types.flatMap(collectionsOf), 'mangrove.files', 'mangrove.users'];
    for (const name of names)
      for (const row of await project.store.db.collection(name).find().toArray())
        for (const [key, value] of Object.entries(row)) if (!key.startsWith('_')) note(key, value);
    for (const type of types.filter(({ history }) => history !== null))
      for (const { _version } of await project.store.db.collection(historyName(type)).find().toArray()) {
        note('version', String(_version.id));
        note('moment', new Date(_version.from.getTime() + 1));
      }
  }
  const lists = new Map([...found].map(([name, values]) => [name, [...values]]));
  const everything = [...lists.values()].flat();
  const from = (random: Random, name: string): string => random.pick(lists.get(name) ?? everything);
  return {
    of(random, name) {
      const value = from(random, name);
      const kind = random.below(12);
      if (kind === 0) return value.slice(0, 1 + random.below(value.length));
      return kind === 1 ? random.pick(everything) : value;
    },
    documentId: (random) => from(random, 'documentId'),
    id: (random) => from(random, 'id'),
    isKnown: (documentId) => found.get('documentId')?.has(documentId) === true,
  };
}
