import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { randomOf, SEED } from '../../packages/engine/test/support/random.js';
import { compiled } from '../support/compiled.js';
import { testStore } from '../support/engine.js';
import { asStandalone } from '../support/volatile-server.js';
import { commandOf, startProxy } from '../support/wire-proxy.js';
import { openDocuments } from './open.js';

const WRITER = compiled('test/recovery/batch-writer.ts');
const BOOK = 'api::book.book';
const ROUNDS = process.env['MANGROVE_SOAK'] ? 25 : 1;
const random = randomOf(SEED);

for (const deployment of ['transactions', 'standalone'] as const)
  describe(`kill -9 during transactions of documents: ${deployment}`, function () {
    // A server may keep the locks of a killed writer for a minute.
    this.timeout((ROUNDS + 3) * 60_000);
    let uri = '';
    let name = '';
    let books: readonly string[] = [];
    const closing: (() => Promise<unknown>)[] = [];

    before(async () => {
      const direct = await testStore();
      closing.unshift(direct.close);
      ({ uri, name } = direct);
      if (deployment === 'standalone') {
        const proxy = await startProxy(uri, (message) => (commandOf(message) === 'hello' ? asStandalone : 0));
        closing.unshift(proxy.close);
        uri = `${proxy.uri}&retryWrites=false&serverMonitoringMode=poll&heartbeatFrequencyMS=500`;
      }
      const { store, documents } = await openDocuments(uri, name);
      const create = async () =>
        String((await documents(BOOK).create({ data: { title: '0' }, status: 'published' })).documentId);
      books = await Promise.all([create(), create(), create()]);
      await store.close();
    });
    after(async () => {
      for (const close of closing) await close();
    });

    /** Lets a writer work for a while and kills it. Returns the number of the last transaction that was acknowledged. */
    const runAndKill = async (from: number): Promise<number> => {
      const child = spawn(process.execPath, [WRITER, JSON.stringify({ uri, name, books, from })], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let acknowledged = 0;
      const exited = new Promise((resolve) => child.on('exit', resolve));
      for await (const line of createInterface({ input: child.stdout })) {
        if (acknowledged === 0) setTimeout(() => child.kill('SIGKILL'), random.below(800));
        acknowledged = Number(line.split(' ')[1]);
      }
      await exited;
      return acknowledged;
    };

    let from = 1;
    for (let round = 1; round <= ROUNDS; round++)
      it(`round ${round}: what is stored is one transaction as a whole`, async () => {
        const acknowledged = await runAndKill(from);
        expect(acknowledged, 'the writer has written').to.be.at.least(from);
        const { store, documents } = await openDocuments(uri, name);
        try {
          const titles = new Set<unknown>();
          const next = new Set<unknown>();
          for (const documentId of books)
            for (const status of ['draft', 'published']) {
              const book = await documents(BOOK).findOne({ documentId, status });
              titles.add(book?.['title']);
              next.add((book?.['data'] as { next?: unknown } | null)?.next);
            }
          expect(titles.size, [...titles].join()).to.equal(1);
          expect(next.size).to.equal(1);
          const number = Number([...titles][0]);
          expect(number, 'nothing acknowledged is lost').to.be.at.least(acknowledged);
          expect(number, 'nothing else was stored').to.be.at.most(acknowledged + 1);
          const extra = await store.db.collection('books.drafts').find({ 'data.extra': true }).toArray();
          // Each writer removes what it has created itself, except the last one.
          expect(extra.at(-1)).to.include({ title: String(number), documentId: [...next][0] });
          expect(extra.length).to.equal(round);
          from = number + 1;
        } finally {
          await store.close();
        }
      });
  });
