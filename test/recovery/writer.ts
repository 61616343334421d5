/**
 * A process that writes until it is killed. `writer.ts '{"uri"|"dataDir", "name", "books", "authors", "round"}'`: two
 * lanes for each book, each lane one update-and-publish after the other, acknowledged on standard output: `ack <book>
 * <lane> <number>`.
 */
import { startEngine } from '@mangrove/engine';
import { ApiError } from '../../src/errors.js';
import { openDocuments } from './open.js';

interface Orders {
  readonly uri: string | null;
  readonly dataDir: string;
  readonly name: string;
  readonly books: readonly string[];
  readonly authors: readonly string[];
  readonly round: number;
}

const orders = JSON.parse(process.argv[2] ?? '{}') as Orders;
const uri = orders.uri ?? (await startEngine({ dataDir: orders.dataDir })).uri;
const { documents } = await openDocuments(uri, orders.name);
const books = documents('api::book.book');

/** What a killed writer left locked may remain so for a while: a client retries. */
const isBusy = (error: unknown): boolean => error instanceof ApiError && [409, 503].includes(error.status);

const lane = async (documentId: string, name: string): Promise<void> => {
  for (let number = 1; ; number++) {
    const stamp = `${orders.round}/${name}/${number}`;
    const author = orders.authors[(number + name.charCodeAt(0)) % orders.authors.length];
    const data = {
      title: stamp,
      data: { stamp },
      chapters: [{ title: stamp, notes: [{ text: stamp }] }],
      author,
    };
    try {
      await books.update({ documentId, data, status: 'published' });
    } catch (error) {
      if (isBusy(error)) continue;
      throw error;
    }
    process.stdout.write(`ack ${documentId} ${name} ${number}\n`);
  }
};

await Promise.all(orders.books.flatMap((documentId) => ['a', 'b'].map((name) => lane(documentId, name))));
