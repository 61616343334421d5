import { expect } from 'chai';
import { makeConfig } from '../../src/config/load.js';
import { openContext } from '../../src/documents/open-context.js';
import { type TestStore, testStore } from '../support/engine.js';
import { library } from '../support/versions-schema.js';

describe('the write queue of a document', () => {
  const opened: TestStore[] = [];
  after(async () => {
    for (const store of opened) await store.close();
  });
  const context = async () => {
    const test = await testStore();
    opened.push(test);
    return openContext({ schema: library(), store: test.store, config: makeConfig('.', {}) });
  };

  it('belongs to its store: the same document in another store waits for nothing', async () => {
    const [one, other] = [await context(), await context()];
    const done: string[] = [];
    let release = (): void => undefined;
    const first = one.withDocumentLock('book/a', () => new Promise<void>((resolve) => (release = resolve)));
    const second = one.withDocumentLock('book/a', async () => void done.push('second'));
    await other.withDocumentLock('book/a', async () => void done.push('other'));
    expect(done).to.deep.equal(['other']);
    release();
    await Promise.all([first, second]);
    expect(done).to.deep.equal(['other', 'second']);
  });
});
