import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { deserialize, EJSON } from 'bson';
import type { ForeignDocument } from '../../store/foreign.js';
import { ImportError } from '../error.js';

/** A file of a dump that holds one collection. */
export interface DumpedCollection {
  readonly name: string;
  readonly file: string;
  read(stream: Readable): AsyncIterable<ForeignDocument>;
}

const ENDING = /\.(bson|json|jsonl|ndjson)$/;

/** The collections among a folder's files: BSON as `mongodump` writes it, or lines of Extended JSON. */
export const dumpedCollections = (folder: string, files: readonly string[]): readonly DumpedCollection[] =>
  files
    .filter((file) => ENDING.test(file) && !file.endsWith('.metadata.json') && file !== 'prelude.json')
    .sort()
    .flatMap((file): DumpedCollection[] => {
      const name = decodeURIComponent(file.replace(ENDING, ''));
      if (name.startsWith('system.') || name === 'oplog') return [];
      return [{ name, file: join(folder, file), read: file.endsWith('.bson') ? readBson : readLines }];
    });

const MOST_BYTES = 64 * 1024 * 1024;

/** Documents one after the other, each beginning with its length. */
async function* readBson(stream: Readable): AsyncGenerator<ForeignDocument> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    while (rest.length - at >= 4) {
      const size = rest.readInt32LE(at);
      if (size < 5 || size > MOST_BYTES) throw new ImportError('a file of the dump is damaged');
      if (rest.length - at < size) break;
      yield deserialize(rest.subarray(at, at + size), { promoteValues: false });
      at += size;
    }
    rest = rest.subarray(at);
  }
  if (rest.length > 0) throw new ImportError('a file of the dump ends within a document');
}

async function* readLines(stream: Readable): AsyncGenerator<ForeignDocument> {
  for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
    const text = line.trim();
    if (text !== '') yield EJSON.parse(text, { relaxed: false }) as ForeignDocument;
  }
}
