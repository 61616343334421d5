import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startEngine } from '@mangrove/engine';
import { expect } from 'chai';
import { randomOf, SEED } from '../../packages/engine/test/support/random.js';
import type { Documents } from '../../src/documents/types.js';
import { openStore, type Store } from '../../src/store/client.js';
import { compiled } from '../support/compiled.js';
import { openDocuments } from './open.js';

/** `MANGROVE_SOAK=1` kills more often, during 200 concurrent calls: two for each book. */
const soak = Boolean(process.env['MANGROVE_SOAK']);
const ROUNDS = soak ? 25 : 1;
const BOOKS = soak ? 100 : 6;
const random = randomOf(SEED);
const WRITER = compiled('test/recovery/writer.ts');
const BOOK = 'api::book.book';
const AUTHOR = 'api::author.author';

type Row = Record<string, unknown>;
const list = (row: Row | null | undefined, name: string): Row[] => (row?.[name] ?? []) as Row[];

describe('kill -9 during writes', function () {
  // A server may keep the locks of a killed writer for a minute.
  this.timeout((ROUNDS + 3) * 60_000);
  const uri = process.env['MONGODB_URI'] ?? null;
  const name = `fault_${process.pid}_${Date.now().toString(36)}`;
  let dataDir = '';
  let books: string[] = [];
  let authors: string[] = [];

  /** Runs `work` on the database as the next start of a server finds it. */
  const restarted = async <T>(
    work: (opened: { store: Store; documents: Documents }) => Promise<T>,
  ): Promise<T> => {
    const engine = uri === null ? await startEngine({ dataDir }) : null;
    const opened = await openDocuments(uri ?? engine?.uri ?? '', name);
    try {
      return await work(opened);
    } finally {
      await opened.store.close();
      await engine?.close();
    }
  };

  before(async function () {
    this.timeout(180_000);
    dataDir = await mkdtemp(join(tmpdir(), 'mangrove-fault-'));
    await restarted(async ({ documents }) => {
      const make = async (uid: string, data: object) =>
        String((await documents(uid).create({ data, status: 'published' }))['documentId']);
      authors = [await make(AUTHOR, { name: 'x' }), await make(AUTHOR, { name: 'y' })];
      const stamped = (stamp: string) => ({
        title: stamp,
        data: { stamp },
        chapters: [{ title: stamp, notes: [{ text: stamp }] }],
        author: authors[0],
      });
      books = await Promise.all(Array.from({ length: BOOKS }, () => make(BOOK, stamped('0/a/0'))));
    });
  });
  after(async () => {
    if (uri !== null) {
      const store = await openStore({ uri, name });
      await store.db.dropDatabase();
      await store.close();
    }
    await rm(dataDir, { recursive: true, force: true });
  });

  /**
   * Lets a writer work for a while, kills it, and returns what was acknowledged: the last number of each book and lane.
   */
  const runAndKill = async (round: number): Promise<Map<string, number>> => {
    const orders = JSON.stringify({ uri, dataDir, name, books, authors, round });
    const child = spawn(process.execPath, [WRITER, orders], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const acknowledged = new Map<string, number>();
    const exited = new Promise((resolve) => child.on('exit', resolve));
    for await (const line of createInterface({ input: child.stdout })) {
      const [word, book, lane, number] = line.split(' ');
      if (word !== 'ack') continue;
      // Later lines may still be in the pipe; these were acknowledged before the kill too.
      if (acknowledged.size === 0) setTimeout(() => child.kill('SIGKILL'), random.below(1500));
      acknowledged.set(`${book}/${lane}`, Number(number));
    }
    await exited;
    return acknowledged;
  };

  for (let round = 1; round <= ROUNDS; round++)
    it(`round ${round}: every document is in a state that some order of the writes explains`, async () => {
      const acknowledged = await runAndKill(round);
      expect(acknowledged.size, 'the writer started writing').to.be.greaterThan(0);
      await restarted(async ({ store, documents }) => {
        const underWay = await store.db
          .collection('mangrove.journal')
          .countDocuments({ steps: { $exists: true } });
        expect(underWay, 'writes in progress').to.equal(0);
        const ids: unknown[] = [];
        for (const documentId of books) {
          const versions: (Row | null)[] = [];
          for (const status of ['draft', 'published']) {
            const entry = await documents(BOOK).findOne({
              documentId,
              status,
              populate: { author: true, chapters: { populate: '*' } },
            });
            const [chapter] = list(entry, 'chapters');
            const stamp = entry?.['title'];
            expect((entry?.['data'] as Row | undefined)?.['stamp'], 'one write as a whole').to.equal(stamp);
            expect(chapter?.['title']).to.equal(stamp);
            expect(list(chapter, 'notes')[0]?.['text']).to.equal(stamp);
            expect(entry?.['author'], 'no dangling reference').to.be.an('object');
            ids.push(entry?.['id']);
            versions.push(entry);
          }
          const [draft, published] = versions;
          expect(published?.['title'], 'draft and published of one write').to.equal(draft?.['title']);
          const [stampRound, lane, number] = String(draft?.['title']).split('/');
          const sure = acknowledged.get(`${documentId}/${lane}`) ?? 0;
          if (Number(stampRound) === round)
            expect(Number(number), 'nothing acknowledged is lost').to.be.at.least(sure);
          else
            expect(
              [acknowledged.get(`${documentId}/a`), acknowledged.get(`${documentId}/b`)],
              'nothing acknowledged is lost',
            ).to.deep.equal([undefined, undefined]);
          const rows = await store.db.collection('books').countDocuments({ documentId });
          const drafts = await store.db.collection('books.drafts').countDocuments({ documentId });
          expect([rows, drafts]).to.deep.equal([1, 1]);
        }
        expect(new Set(ids).size, 'ids').to.equal(ids.length);
        for (const status of ['draft', 'published']) await expectBothEnds(documents, status);
      });
    });

  /** The books of an author are exactly those that refer to it. */
  const expectBothEnds = async (documents: Documents, status: string): Promise<void> => {
    const found = await documents(BOOK).findMany({ status, populate: ['author'], fields: ['title'] });
    for (const documentId of authors) {
      const author = await documents(AUTHOR).findOne({ documentId, status, populate: ['books'] });
      const mine = found.filter((book) => (book['author'] as Row | null)?.['documentId'] === documentId);
      expect(
        list(author, 'books')
          .map(({ documentId: id }) => id)
          .sort(),
      ).to.deep.equal(mine.map(({ documentId: id }) => id).sort());
    }
  };
});
