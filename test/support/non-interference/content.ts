/** Fills a server with entries in every state, linked with each other at random. */

import { type Random, randomOf } from '../../../packages/engine/test/support/random.js';
import { createDocumentId } from '../../../src/documents/document-id.js';
import type { TestServer } from '../test-server.js';

type Data = Record<string, unknown>;
/** The documentIds of each type, and the numeric ids of the files. */
type Known = Record<string, string[]>;

const FILES = 10;
const KINDS = ['old', 'new', 'odd'];

const some = <T>(random: Random, list: readonly T[], most: number): T[] => [
  ...new Set(Array.from({ length: random.below(most + 1) }, () => random.pick(list))),
];
const maybe = <T>(random: Random, list: readonly T[]): T | null =>
  random.below(4) === 0 ? null : random.pick(list);

const word = (random: Random, start: string): string => `${start}${random.below(9)}`;

const partOf = (random: Random, known: Known): Data => ({
  label: word(random, 'part'),
  size: random.below(5),
  memo: word(random, 'memo'),
  tag: maybe(random, known['tag'] ?? []),
  vault: maybe(random, known['vault'] ?? []),
  ...(random.below(2) === 0 && { notes: some(random, known['note'] ?? [], 2) }),
});

const seoOf = (random: Random, known: Known, files: readonly number[]): Data => ({
  metaTitle: word(random, 'meta'),
  robots: word(random, 'robots'),
  image: maybe(random, files),
  inner: partOf(random, known),
});

const noteOf = (random: Random, known: Known, files: readonly number[], text: string): Data => ({
  title: word(random, text),
  body: `${word(random, 'body')} ${word(random, 'of')}`,
  num: random.below(9),
  price: random.below(900) / 100,
  day: `2024-0${1 + random.below(9)}-11`,
  flag: random.below(2) === 0,
  kind: random.pick(KINDS),
  data: { a: random.below(4) },
  secret: word(random, 'secret'),
  rank: random.below(9),
  pin: word(random, 'pin'),
  tags: some(random, known['tag'] ?? [], 3),
  closed: some(random, known['tag'] ?? [], 2),
  author: maybe(random, known['person'] ?? []),
  vault: maybe(random, known['vault'] ?? []),
  similar: some(random, known['note'] ?? [], 2),
  seo: seoOf(random, known, files),
  parts: Array.from({ length: random.below(3) }, () => partOf(random, known)),
  zone: [
    { __component: 'box.part', ...partOf(random, known) },
    { __component: 'box.seo', ...seoOf(random, known, files) },
  ],
  cover: maybe(random, files),
  gallery: some(random, files, 2),
  scan: maybe(random, files),
});

async function storeFiles({ project }: TestServer, random: Random): Promise<number[]> {
  const now = new Date('2024-01-01');
  const rows = Array.from({ length: FILES }, (_, at) => ({
    id: at + 1,
    documentId: createDocumentId(),
    locale: null,
    name: `${word(random, 'file')}.txt`,
    alternativeText: word(random, 'alt'),
    caption: word(random, 'caption'),
    focalPoint: null,
    width: random.below(50),
    height: random.below(50),
    formats: null,
    hash: `hash_${at}`,
    ext: '.txt',
    mime: 'text/plain',
    size: random.below(50),
    url: `/uploads/hash_${at}.txt`,
    previewUrl: null,
    provider: 'local',
    provider_metadata: null,
    folderPath: '/',
    createdAt: now,
    updatedAt: now,
    publishedAt: now,
  }));
  await project.store.db.collection('mangrove.files').insertMany(rows);
  return rows.map(({ id }) => id);
}

/** @param owners documentIds of accounts */
export async function fill(server: TestServer, owners: readonly string[], seed: number): Promise<void> {
  const random = randomOf(seed);
  const { documents } = server.project;
  const files = await storeFiles(server, random);
  const known: Known = {};
  const make = async (name: string, data: Data, more: object = {}): Promise<string> => {
    const made = await documents(`api::${name}.${name}`).create({ data, ...more });
    const documentId = String(made['documentId']);
    known[name] = [...(known[name] ?? []), documentId];
    return documentId;
  };
  const times = async (number: number, run: (at: number) => Promise<unknown>): Promise<void> => {
    for (let at = 0; at < number; at++) await run(at);
  };
  const published = { status: 'published' };

  await times(5, (at) =>
    make('vault', { key: word(random, 'key'), amount: random.below(9) }, at % 2 === 0 ? published : {}),
  );
  await times(5, () =>
    make('person', {
      name: word(random, 'person'),
      age: random.below(9),
      mail: `${word(random, 'm')}@x.org`,
    }),
  );
  await times(7, () =>
    make('tag', {
      name: word(random, 'tag'),
      weight: random.below(9),
      code: word(random, 'code'),
      parent: known['tag'] ? maybe(random, known['tag']) : null,
    }),
  );
  await times(16, () => make('note', { title: 'empty' }));

  const note = documents('api::note.note');
  const isFrench = (at: number): boolean => [3, 4].includes(at % 5) || at === 0 || at === 9;
  const french = { ...known, note: (known['note'] ?? []).filter((_, at) => isFrench(at)) };
  for (const documentId of french.note)
    await note.update({ documentId, locale: 'fr', data: { title: 'vide' } });
  await times(16, async (at) => {
    const documentId = known['note']?.[at] ?? '';
    const write = (text: string, more: { readonly locale?: string; readonly status?: string }) =>
      note.update({
        documentId,
        data: noteOf(random, more.locale === 'fr' ? french : known, files, text),
        ...more,
      });
    // A draft only, published, published and changed since, published with a French draft, published in French.
    const state = at % 5;
    await write('title', state === 0 ? {} : published);
    if (state === 2) await write('later', {});
    if (isFrench(at)) await write('titre', state === 4 ? { locale: 'fr', ...published } : { locale: 'fr' });
    if (at === 9) await write('autre', { locale: 'fr' });
  });
  const crates = randomOf(seed + 1);
  const theirs = Array.from({ length: 9 }, (_, at) => ({
    // The test knows documents by these two.
    ...{ _id: `crate-${at}` as never, documentId: `crate-${at}`, id: at + 1 },
    name: word(crates, 'crate'),
    size: crates.below(9),
    memo: word(crates, 'memo'),
    tag: maybe(crates, known['tag'] ?? []),
  }));
  await server.project.store.db.collection('their_crates').insertMany(theirs);
  const crateIds = theirs.map(({ documentId }) => documentId);
  await times(8, () =>
    make('shelf', {
      crate: maybe(crates, crateIds),
      label: word(random, 'shelf'),
      place: random.below(9),
      note: maybe(random, known['note'] ?? []),
      notes: some(random, known['note'] ?? [], 3),
      vault: maybe(random, known['vault'] ?? []),
      owner: maybe(random, owners),
      part: partOf(random, known),
    }),
  );
  const front = (): Data => ({
    heading: word(random, 'front'),
    secret: word(random, 'secret'),
    featured: some(random, known['note'] ?? [], 4),
    parts: [partOf(random, known)],
  });
  const documentId = await make('front', front(), published);
  await documents('api::front.front').update({ documentId, data: front() });
  const anything = (): object => {
    const name = random.pick(['note', 'note', 'tag', 'vault', 'person']);
    return { __type: `api::${name}.${name}`, documentId: random.pick(known[name] ?? []) };
  };
  await times(8, () =>
    make('mark', { word: word(random, 'mark'), on: anything(), about: [anything(), anything()] }),
  );
  for (const [at, documentId] of (known['note'] ?? []).entries())
    await documents('api::note.note').publish?.({
      documentId,
      locale: '*',
      publishAt: new Date(Date.UTC(2100, 0, 1 + at)),
    });
}
