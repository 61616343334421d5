/** Proposals for collections of generated documents. */
import type { Document } from 'bson';
import { type Proposal, type ProposeOptions, propose } from '../../src/adopt/propose.js';
import { checkSchema } from '../../src/schema/check/check.js';
import type { SchemaFile } from '../../src/schema/files/read.js';
import { collectionFacts, probe, sampleOf } from '../../src/store/adopted/inspect.js';
import type { PlainObject } from '../../src/values/plain-object.js';
import { type TestStore, testStore } from '../support/engine.js';

export const many = (count: number, make: (n: number) => Document): Document[] =>
  Array.from({ length: count }, (_, n) => make(n));

export const typesOf = (attributes: Readonly<Record<string, Record<string, unknown>>>) =>
  Object.fromEntries(Object.entries(attributes).map(([name, { type }]) => [name, type]));

/** A database for the tests of a `describe`, whose collections are inspected. */
export function proposals() {
  let open: TestStore;
  before(async () => {
    open = await testStore();
  });
  after(() => open.close());

  const look = (options: Partial<ProposeOptions> = {}): Promise<Proposal> => {
    const { db } = open.store;
    return propose({
      inspector: {
        facts: (wanted) => collectionFacts(db, wanted),
        sample: (facts) => sampleOf(db, facts),
        probe: (target, path, values) => probe(db, target, path, values),
      },
      database: null,
      collections: [],
      takenNames: new Set(),
      known: new Map(),
      own: new Set(),
      ...options,
    });
  };

  const put = async (collections: Readonly<Record<string, readonly Document[]>>): Promise<void> => {
    for (const [name, documents] of Object.entries(collections)) {
      await open.store.db.collection(name).deleteMany({});
      await open.store.db.collection(name).insertMany(documents.map((document) => ({ ...document })));
    }
  };

  /** The schema of one collection's type, known to be valid. */
  const schemaOf = (proposal: Proposal, collection: string) => {
    const type = proposal.types.find((each) => each.collection === collection);
    if (!type) throw new Error(`nothing was proposed for ${collection}`);
    const file = (kind: SchemaFile['kind'], uid: string, name: string, content: PlainObject): SchemaFile => ({
      kind,
      uid,
      name,
      file: uid,
      content: JSON.parse(JSON.stringify(content)),
    });
    checkSchema(
      proposal.types.flatMap(({ uid, name, schema, components }) => [
        file('contentType', uid, name.singular, schema),
        ...[...components].map(([id, content]) => file('component', id, id.split('.')[1] ?? '', content)),
      ]),
    );
    const attributes = type.schema['attributes'] as Record<string, Record<string, unknown>>;
    const { storage, seen } = (type.schema['pluginOptions'] as { mangrove: Record<string, PlainObject> })
      .mangrove;
    return { ...type, attributes, storage, seen };
  };

  return { store: () => open.store, look, put, schemaOf };
}
