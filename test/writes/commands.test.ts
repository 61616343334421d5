/** What each write asks of the database: its commands, and the number of round trips. */
import { expect } from 'chai';
import { type CommandStartedEvent, MongoClient } from 'mongodb';
import { until } from '../../packages/engine/test/support/until.js';
import { makeConfig } from '../../src/config/load.js';
import { createReader } from '../../src/documents/read/create-reader.js';
import { FULL_ACCESS } from '../../src/documents/read/script-request.js';
import type { RequestService } from '../../src/documents/request.js';
import { createDocuments } from '../../src/documents/service.js';
import type { Documents } from '../../src/documents/types.js';
import { paramsQuery } from '../../src/query/query.js';
import type { Store } from '../../src/store/client.js';
import { type Deployment, detectDeployment } from '../../src/store/connection/deployment.js';
import { type TestDocuments, testDocuments } from '../support/documents.js';
import { settled, unhurried } from '../support/engine.js';
import { AUTHOR, library, PAGE, TAG } from '../support/versions-schema.js';

const LOCALES = { plugins: { i18n: { defaultLocale: 'en', locales: ['en', 'fr', 'de'] } } };

type Ways = Pick<Store, 'writesAcross' | 'writesAtOnce'>;

/** Commands sent while others were in flight count as one round trip; those sent after the response do not count. */
interface Traffic {
  readonly rounds: number;
  readonly commands: string;
}

type Topology = 'at once' | 'across' | 'transactions' | 'standalone';

/** As many as a write sends commands at once. */
const CONNECTIONS = 3;

/** Sent without waiting for the reply. */
const ENDED = ', then update delete';

/** `across`: one command writes to several collections; `at once`: that command is also the commit. */
const EXPECTED: Readonly<Record<Topology, Readonly<Record<string, Traffic>>>> = {
  'at once': {
    POST: { rounds: 1, commands: 'bulkWrite' },
    'POST of a draft': { rounds: 1, commands: 'bulkWrite' },
    PUT: { rounds: 2, commands: 'find find bulkWrite' },
    'PUT of a draft': { rounds: 2, commands: 'find bulkWrite' },
    DELETE: { rounds: 2, commands: 'find find bulkWrite' },
    'POST with a unique value': { rounds: 1, commands: 'bulkWrite' },
    'PUT with a unique value': { rounds: 2, commands: 'find bulkWrite' },
    'DELETE with a unique value': { rounds: 2, commands: 'find bulkWrite' },
    unpublish: { rounds: 2, commands: 'find find bulkWrite' },
    publish: { rounds: 2, commands: 'find find bulkWrite' },
    discardDraft: { rounds: 2, commands: 'find find bulkWrite' },
    'DELETE of a draft': { rounds: 3, commands: 'find find find bulkWrite' },
  },
  across: {
    POST: { rounds: 2, commands: 'bulkWrite commitTransaction' },
    'POST of a draft': { rounds: 2, commands: 'bulkWrite commitTransaction' },
    PUT: { rounds: 3, commands: 'find find bulkWrite commitTransaction' },
    'PUT of a draft': { rounds: 3, commands: 'find bulkWrite commitTransaction' },
    DELETE: { rounds: 3, commands: 'find find bulkWrite commitTransaction' },
    'POST with a unique value': { rounds: 2, commands: 'bulkWrite commitTransaction' },
    'PUT with a unique value': { rounds: 3, commands: 'find bulkWrite commitTransaction' },
    'DELETE with a unique value': { rounds: 3, commands: 'find bulkWrite commitTransaction' },
    unpublish: { rounds: 3, commands: 'find find bulkWrite commitTransaction' },
    publish: { rounds: 3, commands: 'find find bulkWrite commitTransaction' },
    discardDraft: { rounds: 3, commands: 'find find bulkWrite commitTransaction' },
    'DELETE of a draft': { rounds: 4, commands: 'find find find bulkWrite commitTransaction' },
  },
  transactions: {
    POST: { rounds: 4, commands: 'insert insert insert commitTransaction' },
    'POST of a draft': { rounds: 3, commands: 'insert insert commitTransaction' },
    PUT: { rounds: 5, commands: 'find find update update insert commitTransaction' },
    'PUT of a draft': { rounds: 4, commands: 'find update insert commitTransaction' },
    DELETE: { rounds: 5, commands: 'find find delete delete insert commitTransaction' },
    'POST with a unique value': { rounds: 4, commands: 'insert insert insert commitTransaction' },
    'PUT with a unique value': {
      rounds: 7,
      commands: 'find delete insert delete insert insert commitTransaction',
    },
    'DELETE with a unique value': { rounds: 5, commands: 'find delete delete insert commitTransaction' },
    unpublish: { rounds: 5, commands: 'find find update delete insert commitTransaction' },
    publish: { rounds: 5, commands: 'find find insert update insert commitTransaction' },
    discardDraft: { rounds: 5, commands: 'find find update update insert commitTransaction' },
    'DELETE of a draft': { rounds: 5, commands: 'find find find delete insert commitTransaction' },
  },
  // The journal entry first, then all entries together; claims are made before and released after them. The changes and
  // the end of the journal entry follow the response.
  standalone: {
    POST: { rounds: 2, commands: `insert insert insert${ENDED}` },
    'POST of a draft': { rounds: 2, commands: `insert insert${ENDED}` },
    PUT: { rounds: 3, commands: `find find insert update update${ENDED}` },
    'PUT of a draft': { rounds: 3, commands: `find insert update${ENDED}` },
    DELETE: { rounds: 3, commands: `find find insert delete delete${ENDED}` },
    'POST with a unique value': { rounds: 3, commands: `insert insert insert${ENDED}` },
    'PUT with a unique value': { rounds: 5, commands: `find insert insert update delete${ENDED}` },
    'DELETE with a unique value': { rounds: 4, commands: `find insert delete delete${ENDED}` },
    unpublish: { rounds: 3, commands: `find find insert delete update${ENDED}` },
    publish: { rounds: 3, commands: `find find insert insert update${ENDED}` },
    discardDraft: { rounds: 3, commands: `find find insert update update${ENDED}` },
    'DELETE of a draft': { rounds: 4, commands: `find find find insert delete${ENDED}` },
  },
};

describe('the commands of a write', () => {
  let opened: TestDocuments;
  let client: MongoClient;
  let deployment: Deployment;
  let documents: Documents;
  let service: (uid: string, data?: object, status?: string) => RequestService;

  const open = async (ways: Ways): Promise<void> => {
    const store = { ...unhurried(opened.store), client, db: client.db(opened.name), ...ways };
    const config = makeConfig('.', LOCALES);
    const schema = library();
    const reader = createReader({ schema, store, config });
    documents = await createDocuments({ schema, store, config, reader });
    service = (uid, data, status = 'published') =>
      documents(uid).forRequest({ query: paramsQuery({ status }, 'rest'), caller: FULL_ACCESS, data });
  };
  before(async () => {
    opened = await testDocuments(library(), LOCALES);
    client = new MongoClient(opened.uri, {
      monitorCommands: true,
      ignoreUndefined: true,
      minPoolSize: CONNECTIONS,
    });
    // A command that waits for its connection would begin after those that were sent with it.
    let ready = 0;
    client.on('connectionReady', () => void ready++);
    await client.connect();
    await until(
      () => ready >= CONNECTIONS,
      () => `${ready} connections`,
    );
    deployment = await detectDeployment(opened.store.db);
  });
  after(async () => {
    await client?.close();
    await opened?.close();
  });

  const topologyOf = ({ writesAcross, writesAtOnce }: Ways): Topology => {
    if (deployment === 'standalone' || !writesAcross) return deployment;
    return writesAtOnce ? 'at once' : 'across';
  };

  const traffic = async (write: () => Promise<unknown>): Promise<Traffic> => {
    await settled(opened.store);
    const names: string[] = [];
    let underWay = 0;
    let rounds = 0;
    const began = ({ commandName }: CommandStartedEvent): void => {
      if (underWay++ === 0) rounds += 1;
      names.push(commandName);
    };
    const ended = (): void => {
      underWay -= 1;
    };
    client.on('commandStarted', began).on('commandSucceeded', ended).on('commandFailed', ended);
    await write();
    const [answered, inTime] = [rounds, names.length];
    await settled(opened.store);
    client.off('commandStarted', began).off('commandSucceeded', ended).off('commandFailed', ended);
    const [before, after] = [names.slice(0, inTime), names.slice(inTime)].map((some) => some.join(' '));
    return { rounds: answered, commands: after ? `${before}, then ${after}` : `${before}` };
  };

  const made = async (uid: string, data: object): Promise<string> =>
    String((await service(uid, data).create()).data?.['documentId']);

  /** The writes of a document, to the server that `open` finds. */
  const writes = async (): Promise<Record<string, Traffic>> => {
    const name = () => ({ name: `n${Math.random()}` });
    const draft = String((await service(AUTHOR, name(), 'draft').create()).data?.['documentId']);
    const [author, other, tag, removed] = [
      await made(AUTHOR, name()),
      await made(AUTHOR, name()),
      await made(TAG, name()),
      await made(TAG, name()),
    ];
    return {
      POST: await traffic(() => service(AUTHOR, name()).create()),
      'POST of a draft': await traffic(() => service(AUTHOR, name(), 'draft').create()),
      PUT: await traffic(() => service(AUTHOR, name()).update(author)),
      'PUT of a draft': await traffic(() => service(AUTHOR, name(), 'draft').update(author)),
      DELETE: await traffic(() => service(AUTHOR).delete(author)),
      'POST with a unique value': await traffic(() => service(TAG, name()).create()),
      'PUT with a unique value': await traffic(() => service(TAG, name()).update(tag)),
      'DELETE with a unique value': await traffic(() => service(TAG).delete(removed)),
      unpublish: await traffic(async () => documents(AUTHOR).unpublish?.({ documentId: other })),
      publish: await traffic(async () => documents(AUTHOR).publish?.({ documentId: other })),
      discardDraft: await traffic(async () => documents(AUTHOR).discardDraft?.({ documentId: other })),
      'DELETE of a draft': await traffic(() => service(AUTHOR).delete(draft)),
    };
  };

  it('are few: everything stored is read at once, then everything is written', async () => {
    const { writesAcross, writesAtOnce } = opened.store;
    await open({ writesAcross, writesAtOnce });
    expect(await writes()).to.deep.equal(EXPECTED[topologyOf({ writesAcross, writesAtOnce })]);
  });

  it('are a single one with the commit on servers that write to several collections with one command', async function () {
    if (!opened.store.writesAcross) this.skip();
    const ways = { writesAcross: true, writesAtOnce: false };
    await open(ways);
    expect(await writes()).to.deep.equal(EXPECTED[topologyOf(ways)]);
  });

  it('are one for each collection in transactions on servers that write to one collection at a time', async () => {
    const ways = { writesAcross: false, writesAtOnce: false };
    await open(ways);
    expect(await writes()).to.deep.equal(EXPECTED[topologyOf(ways)]);
  });

  it('are one for each collection and operation if some locales are new and others are not', async function () {
    if (deployment === 'standalone') this.skip();
    await open({ writesAcross: false, writesAtOnce: false });
    const service = documents(PAGE);
    const page = { documentId: String((await service.create({ data: { title: 'en' } })).documentId) };
    for (const locale of ['fr', 'de']) await service.update({ ...page, locale, data: { title: locale } });
    await service.publish?.({ ...page, locale: ['en', 'de'] });
    for (const locale of ['en', 'de']) await service.update({ ...page, locale, data: { title: 'new' } });
    const { commands } = await traffic(async () => service.publish?.({ ...page, locale: '*' }));
    const written = commands.split(' ').filter((name) => !['find', 'aggregate'].includes(name));
    // Of the published entries, of the drafts, of the outbox.
    const expected = ['update', 'insert', 'update', 'insert', 'commitTransaction'];
    expect(written).to.deep.equal(expected);
  });
});
