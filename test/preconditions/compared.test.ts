/** Reads with entity tags beside the same reads of a server without them, while documents change in all ways. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Random, randomOf, SEED } from '../../packages/engine/test/support/random.js';
import { rounds } from '../support/rounds.js';
import { componentFile, typeFile } from '../support/schemas.js';
import { send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { writeFiles } from '../support/write-files.js';

const UID = 'api::item.item';
const DOCUMENTS = 60;
const CHANGES = rounds(12, 80);
const READS = 8;
/** Of the documents, those that are asked for, so that each is asked for again and again. */
const READ = 6;

const localized = { pluginOptions: { i18n: { localized: true } } };
const FILES = [
  typeFile(
    'item',
    {
      title: { type: 'string', ...localized },
      count: { type: 'integer' },
      json: { type: 'json', ...localized },
      tags: { type: 'component', component: 'shared.tag', repeatable: true },
      secret: { type: 'string', private: true },
      next: { type: 'relation', relation: 'manyToOne', target: UID, inversedBy: 'previous' },
      previous: { type: 'relation', relation: 'oneToMany', target: UID, mappedBy: 'next' },
    },
    { draftAndPublish: true, localized: true },
  ),
  componentFile('shared.tag', { name: { type: 'string' }, weight: { type: 'decimal' } }),
];

const QUERIES = [
  '',
  '?fields=title',
  '?fields[0]=json&fields[1]=count',
  '?status=draft',
  '?locale=fr',
  '?status=draft&locale=fr&fields=count',
  '?filters[count][$gt]=2',
  '?populate=tags',
  '?populate=*',
  '?status=draft&populate[previous][fields]=title',
];
const LISTS = [
  '/items',
  '/items?status=draft&sort=count&pagination[pageSize]=7',
  '/items?filters[tags][name]=b',
];

const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  title: ['a', 'b', '', null, 'ä'],
  count: [0, 1, 2, 3, 4, null],
  json: [null, 1, 'text', [], [[1], 'a', null], { a: [1, { b: 'c' }] }, true],
  tags: [[], [{ name: 'a', weight: 1.5 }], [{ name: 'b' }, { name: 'b', weight: -0.1 }]],
  secret: ['x', 'y'],
};

describe('reads with entity tags, compared with plain ones', function () {
  this.timeout(180_000);
  let folder: string;
  let tagged: TestServer;
  let plain: TestServer;
  let token: string;
  const ids: string[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-tags-'));
    await writeFiles(
      folder,
      Object.fromEntries(FILES.map(({ file, content }) => [`content-types/${file}`, content])),
    );
    tagged = await startTestServer({ rest: { etags: true } }, { schemaFolder: folder });
    plain = await startTestServer({}, { schemaFolder: folder, beside: tagged });
    token = (await tagged.project.access.tokens.create({ name: 'all', type: 'full-access' })).key;
  });
  after(async () => {
    await plain?.close();
    await tagged?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const get = ({ url }: TestServer, path: string, tag?: string) =>
    send(url, `/api${path}`, { token, ...(tag !== undefined && { headers: { 'if-none-match': tag } }) });

  /** Every document has the locale en, and only some have fr, so relations are changed there alone. */
  const dataOf = (random: Random, locale = 'en'): Record<string, unknown> => {
    const data: Record<string, unknown> = {};
    for (let i = 0; i <= random.below(2); i++) {
      const name = random.pick(Object.keys(VALUES));
      data[name] = random.pick(VALUES[name] ?? []);
    }
    if (locale === 'en' && random.below(4) === 0)
      data[random.pick(['next', 'previous'])] = random.pick([null, ...ids]);
    return data;
  };

  /** Every document keeps a draft in the locale en: it may be linked at any time. */
  const change = async (random: Random): Promise<void> => {
    const items = (random.below(2) === 0 ? tagged : plain).project.documents(UID);
    const at = random.below(random.pick([READ, ids.length]));
    const documentId = ids[at] ?? '';
    const locale = random.pick(['en', 'en', 'fr']);
    const status = random.pick(['draft', 'published'] as const);
    switch (random.below(12)) {
      case 0:
        return void (await items.publish?.({ documentId, locale: '*' }));
      case 1:
        return void (await items.unpublish?.({ documentId, locale }));
      case 2:
        // Of what is not published, that would be the end.
        if (await items.findOne({ documentId, locale, status: 'published' }))
          await items.discardDraft?.({ documentId, locale });
        return;
      case 3:
        ids[at] = String((await items.create({ data: dataOf(random), status })).documentId);
        await items.delete({ documentId });
        return;
      default:
        await items.update({ documentId, locale, status, data: dataOf(random, locale) });
    }
  };

  it('a 304 is sent only for what the client has, and everything else is the answer of now', async () => {
    const random = randomOf(SEED);
    const items = tagged.project.documents(UID);
    for (let i = 0; i < DOCUMENTS; i++)
      ids.push(
        String(
          (await items.create({ data: dataOf(random), status: random.pick(['draft', 'published']) }))
            .documentId,
        ),
      );
    const known = new Map<string, { readonly tag: string; readonly text: string }>();
    const seen = { same: 0, changed: 0 };
    const compare = async (path: string): Promise<void> => {
      const had = known.get(path);
      const answer = await get(tagged, path, had?.tag);
      const now = await get(plain, path);
      const text = JSON.stringify(now.body);
      if (answer.status === 304) {
        seen.same++;
        expect(had?.text, path).to.equal(text);
        return;
      }
      expect([answer.status, JSON.stringify(answer.body)], path).to.eql([now.status, text]);
      if (had) seen.changed++;
      const tag = answer.headers.get('etag');
      if (tag === null) known.delete(path);
      else known.set(path, { tag, text });
    };
    const path = (): string =>
      random.below(5) === 0 ? random.pick(LISTS) : `/items/${ids[random.below(READ)]}${random.pick(QUERIES)}`;
    for (let i = 0; i < CHANGES; i++) {
      await change(random);
      for (let n = 0; n < READS; n++) {
        const one = path();
        await compare(one);
        if (n === 0) await compare(one);
      }
    }
    expect(seen.same, 'unchanged').to.be.above(CHANGES);
    expect(seen.changed, 'changed').to.be.above(CHANGES / 3);
  });
});
