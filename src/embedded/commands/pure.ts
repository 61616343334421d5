import type { Document } from 'bson';
import { Aggregator, Query, updateOne } from 'mingo';
import { EngineError, fail } from '../errors.js';
import type { Collation } from '../values/index.js';

/** A collection as a pipeline reads and writes it. */
export interface PipelineCollection {
  find(query: { filter: Document; sort?: Document; skip?: number; limit?: number }): Iterable<Document>;
}

/** What a pipeline needs beyond its documents. */
export interface PipelineContext {
  collection(name: string): PipelineCollection;
  readonly collation?: Collation | undefined;
  readonly variables?: Document | undefined;
}

type FilterOptions = { collation?: Collation | undefined; variables?: Document | undefined };

const settings = (options: FilterOptions) => ({
  ...(options.collation === undefined ? {} : { collation: options.collation as never }),
  ...(options.variables === undefined ? {} : { variables: options.variables }),
});

export function compileFilter(
  filter: Document,
  options: FilterOptions = {},
): (document: Document) => boolean {
  const query = new Query(filter as never, settings(options));
  return (document) => query.test(document as never);
}

export function compileProjection(
  projection: Document,
  _options: object = {},
): (document: Document) => Document {
  return (document) => new Query({}, {}).find([document], projection as never).next() as Document;
}

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

function lookup(documents: Iterable<Document>, spec: Document, context: PipelineContext): Document[] {
  const { from, localField, foreignField, as, pipeline = [] } = spec;
  return [...documents].map((document) => {
    const path = (localField as string).split('.');
    const local = path.reduce<unknown>((value, name) => (value as Document | undefined)?.[name], document);
    const values = Array.isArray(local) ? local : [local ?? null];
    const found = context.collection(from).find({ filter: { [foreignField]: { $in: values } } });
    return { ...document, [as]: [...runPipeline(found, pipeline, context)] };
  });
}

export function runPipeline(
  source: Iterable<Document>,
  stages: readonly Document[],
  context: PipelineContext,
): Iterable<Document> {
  const at = stages.findIndex(
    (stage) => stage['$lookup']?.localField !== undefined && stage['$lookup'].let === undefined,
  );
  if (at >= 0) {
    const before = runPipeline(source, stages.slice(0, at), context);
    return runPipeline(lookup(before, stages[at]?.['$lookup'], context), stages.slice(at + 1), context);
  }
  if (stages.length === 0) return source;
  return new Aggregator(stages as Document[], {
    ...settings(context),
    collectionResolver: (name: string) => [...context.collection(name).find({ filter: {} })],
  }).run([...source]);
}
