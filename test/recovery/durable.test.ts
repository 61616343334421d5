/** Acknowledged writes are on disk, if no other member has them. */
import { ObjectId } from 'bson';
import { expect } from 'chai';
import { type CommandStartedEvent, type Document, MongoClient } from 'mongodb';
import { openStore, type Store } from '../../src/store/client.js';
import { Changes } from '../../src/store/entries/changes.js';
import { changeEvent } from '../../src/store/outbox/outbox.js';
import { openJournal } from '../../src/store/writes/journal.js';
import { type TestStore, testStore } from '../support/engine.js';

describe('durability', () => {
  let opened: TestStore;
  let client: MongoClient;
  let isStandalone: boolean;
  const sent: Document[] = [];
  before(async () => {
    opened = await testStore();
    client = new MongoClient(opened.uri, { monitorCommands: true });
    client.on('commandStarted', ({ command }: CommandStartedEvent) => void sent.push(command));
    isStandalone = (await opened.store.db.command({ hello: 1 }))['setName'] === undefined;
  });
  after(async () => {
    await client?.close();
    await opened?.close();
  });

  /** The write concerns of a write with the journal, from its first to its last command. */
  const concernsOf = async (journal: boolean): Promise<readonly (Document | undefined)[]> => {
    sent.length = 0;
    const changes = new Changes();
    changes.insert('books', { _id: new ObjectId(), title: 'one' });
    changes.insert('authors', { _id: new ObjectId(), title: 'two' });
    const event = changeEvent({ event: 'entry.create', uid: 'u', documentId: 'd', locale: null, id: 1 });
    const journalled = openJournal(client.db(opened.name, { writeConcern: { w: 1, journal } }));
    await journalled.write({ steps: changes.steps(), events: [event] });
    await journalled.settled();
    expect(sent[0]).to.include({ insert: 'mangrove.journal' });
    expect(sent.at(-1)).to.include({ delete: 'mangrove.journal' });
    return sent.map(({ writeConcern }) => writeConcern);
  };

  it('every command of a write waits for the disk, unless the URI says otherwise', async () => {
    for (const journal of [true, false]) {
      const concerns = await concernsOf(journal);
      expect(concerns.length).to.be.greaterThan(4);
      for (const concern of concerns) expect(concern).to.include({ w: 1, j: journal });
    }
  });

  const withUri = async <T>(options: string, look: (store: Store) => T | Promise<T>): Promise<T> => {
    const uri = `${opened.uri.includes('/?') ? `${opened.uri}&` : `${opened.uri.replace(/\/$/, '')}/?`}${options}`;
    const store = await openStore({ uri, name: opened.name });
    try {
      return await look(store);
    } finally {
      await store.close();
    }
  };

  it('a write of one document waits for the disk, or for a majority', () => {
    const { w, journal } = opened.store.db.writeConcern ?? {};
    expect({ w, journal }).to.deep.equal(
      isStandalone ? { w: 1, journal: true } : { w: 'majority', journal: undefined },
    );
    expect(opened.store.content.writeConcern.w).to.equal(w);
  });

  it('and for what the URI requires', async () => {
    await withUri('w=1&journal=false&wtimeoutMS=700', ({ db }) => {
      const { w, journal, wtimeoutMS } = db.writeConcern ?? {};
      expect({ w, journal, wtimeoutMS }).to.deep.equal({ w: 1, journal: false, wtimeoutMS: 700 });
    });
    await withUri('w=majority', ({ db }) => expect(db.writeConcern?.w).to.equal('majority'));
  });
});
