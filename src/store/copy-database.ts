import { type Db, type Document, type IndexDescription, MongoClient } from 'mongodb';

/** What was copied of one collection. */
export interface CopiedCollection {
  readonly name: string;
  readonly documents: number;
  readonly indexes: number;
}

/** Where a database is copied to and how. */
export interface CopyTarget {
  readonly uri: string;
  /** The database; the source's name if absent. */
  readonly name?: string | undefined;
  /** Replace collections that hold documents already. */
  readonly overwrite?: boolean | undefined;
}

const BATCH = 1000;

const CREATE_OPTIONS = [
  'capped',
  'size',
  'max',
  'collation',
  'validator',
  'validationLevel',
  'validationAction',
];

async function makeCollection(
  target: Db,
  name: string,
  options: Document,
  overwrite: boolean,
): Promise<void> {
  const filled = (await target.collection(name).findOne({}, { projection: { _id: 1 } })) !== null;
  if (filled && !overwrite) {
    throw new Error(`${target.databaseName}.${name} holds documents already; --overwrite replaces them`);
  }
  if (filled) await target.collection(name).drop();
  const [there] = await target.listCollections({ name }, { nameOnly: true }).toArray();
  const kept = Object.fromEntries(
    Object.entries(options).filter(([option]) => CREATE_OPTIONS.includes(option)),
  );
  if (there === undefined) await target.createCollection(name, kept);
}

async function copyDocuments(source: Db, target: Db, name: string): Promise<number> {
  let batch: Document[] = [];
  let count = 0;
  const flush = async (): Promise<void> => {
    if (batch.length > 0) await target.collection(name).insertMany(batch, { bypassDocumentValidation: true });
    count += batch.length;
    batch = [];
  };
  // The values' types are kept: no number is read into another one.
  const options = { promoteValues: false, promoteBuffers: false, bsonRegExp: true };
  for await (const document of source.collection(name).find({}, options).batchSize(BATCH)) {
    batch.push(document);
    if (batch.length === BATCH) await flush();
  }
  await flush();
  return count;
}

async function copyIndexes(source: Db, target: Db, name: string): Promise<number> {
  const indexes = (await source.collection(name).indexes()).filter((index) => index.name !== '_id_');
  const specs = indexes.map(({ v: _, ...spec }) => spec as IndexDescription);
  if (specs.length > 0) await target.collection(name).createIndexes(specs);
  return specs.length;
}

/**
 * Streams every collection of a database, with its options and indexes, to another deployment; views after the
 * collections. Rejects with a plain Error where a target collection holds documents and may not be replaced.
 */
export async function copyDatabase(
  source: Db,
  to: CopyTarget,
  tell: (copied: CopiedCollection) => void,
): Promise<CopiedCollection[]> {
  const client = await MongoClient.connect(to.uri, { serverSelectionTimeoutMS: 10_000 });
  try {
    const target = client.db(to.name ?? source.databaseName);
    const all = await source.listCollections().toArray();
    const out: CopiedCollection[] = [];
    for (const entry of all.filter(({ type, name }) => type !== 'view' && !name.startsWith('system.'))) {
      const { name } = entry;
      await makeCollection(
        target,
        name,
        ('options' in entry ? entry.options : undefined) ?? {},
        to.overwrite === true,
      );
      const documents = await copyDocuments(source, target, name);
      const copied = { name, documents, indexes: await copyIndexes(source, target, name) };
      out.push(copied);
      tell(copied);
    }
    for (const entry of all) {
      const options = 'options' in entry ? entry.options : undefined;
      if (entry.type !== 'view' || options === undefined) continue;
      await target.createCollection(entry.name, {
        viewOn: options['viewOn'],
        pipeline: options['pipeline'] ?? [],
      });
    }
    return out;
  } finally {
    await client.close();
  }
}
