/**
 * A process that writes transactions until it is killed. `batch-writer.ts '{"uri", "name", "books"}'`: each changes and
 * publishes all books, creates one and removes the one that the transaction before it has created, and is then
 * acknowledged on standard output: `ack <number>`.
 */
import { ApiError } from '../../src/errors.js';
import { openDocuments } from './open.js';

interface Orders {
  readonly uri: string;
  readonly name: string;
  readonly books: readonly string[];
  readonly from: number;
}

const { uri, name, books, from } = JSON.parse(process.argv[2] ?? '{}') as Orders;
const { documents } = await openDocuments(uri, name);
const BOOK = 'api::book.book';

const isBusy = (error: unknown): boolean => error instanceof ApiError && [409, 503].includes(error.status);

let last: string | null = null;
for (let number = from; ; number++)
  try {
    last = await documents.transaction(async (inside) => {
      const title = String(number);
      const { documentId } = await inside(BOOK).create({ data: { title, data: { extra: true } } });
      for (const book of books) {
        await inside(BOOK).update({ documentId: book, data: { title, data: { next: documentId } } });
        await inside(BOOK).publish?.({ documentId: book });
      }
      if (last !== null) await inside(BOOK).delete({ documentId: last });
      return String(documentId);
    });
    process.stdout.write(`ack ${number}\n`);
  } catch (error) {
    if (!isBusy(error)) throw error;
    number -= 1;
  }
