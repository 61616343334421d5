import type { Document } from 'bson';
import { updateOne } from 'mingo';

export { runPipeline } from '../aggregation/index.js';
export { compileFilter } from '../matching/index.js';
export { compileProjection } from '../projection/compile-projection.js';

import { EngineError, fail } from '../errors.js';
import type { Collation } from '../values/index.js';

const isPipeline = (update: unknown): update is Document[] => Array.isArray(update);

function seedOf(filter: Document): Document {
  const seed: Document = {};
  for (const [key, value] of Object.entries(filter)) {
    if (key === '$and') for (const clause of value as Document[]) Object.assign(seed, seedOf(clause));
    else if (!key.startsWith('$')) {
      if (value !== null && typeof value === 'object' && Object.keys(value)[0]?.startsWith('$')) {
        if ('$eq' in value) seed[key] = value.$eq;
      } else seed[key] = value;
    }
  }
  return seed;
}

export interface UpdateOptions {
  readonly arrayFilters?: Document[] | undefined;
  readonly variables?: Document | undefined;
  readonly collation?: Collation | undefined;
  readonly filter: Document;
}

/** An update ready to be applied. */
export interface CompiledUpdate {
  /** The new state of a document; the same value if nothing changes. */
  apply(document: Document): Document;
  /** The document that an upsert inserts. */
  insert(): Document;
  /** It is a whole document, not operators. */
  readonly replaces: boolean;
}

export function compileUpdate(update: Document | Document[], options: UpdateOptions): CompiledUpdate {
  const names = Object.keys(update);
  const replaces = !isPipeline(update) && names.every((name) => !name.startsWith('$'));
  const apply = (document: Document, onInsert: boolean): Document => {
    if (replaces) {
      const { _id = document['_id'], ...rest } = update as Document;
      return _id === undefined ? rest : { _id, ...rest };
    }
    const { $setOnInsert, ...modifier } = update as Document;
    const changes: Document = isPipeline(update) ? update : modifier;
    if (onInsert && $setOnInsert) changes['$set'] = { ...changes['$set'], ...$setOnInsert };
    const documents = [structuredCloneBson(document)];
    try {
      if (Object.keys(changes).length > 0) {
        updateOne(documents, onInsert ? {} : (options.filter as never), changes as never, {
          ...(options.arrayFilters === undefined ? {} : { arrayFilters: options.arrayFilters as never }),
        });
      }
    } catch (error) {
      throw new EngineError('BadValue', (error as Error).message);
    }
    const out = documents[0] as Document;
    if (document['_id'] !== undefined && String(out['_id']) !== String(document['_id'])) {
      fail('ImmutableField', "Performing an update on the path '_id' would modify the immutable field '_id'");
    }
    return out;
  };
  return {
    replaces,
    apply: (document) => apply(document, false),
    insert: () => apply(replaces ? pick(seedOf(options.filter), '_id') : seedOf(options.filter), true),
  };
}

const pick = (document: Document, name: string): Document =>
  name in document ? { [name]: document[name] } : {};

function structuredCloneBson(value: unknown): Document {
  const copy = (item: unknown): unknown => {
    if (Array.isArray(item)) return item.map(copy);
    if (item !== null && typeof item === 'object' && Object.getPrototypeOf(item) === Object.prototype) {
      return Object.fromEntries(Object.entries(item).map(([name, member]) => [name, copy(member)]));
    }
    return item;
  };
  return copy(value) as Document;
}
