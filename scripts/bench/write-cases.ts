import type { Document } from 'mongodb';
import type { Case, Floor } from './case.js';
import { documentId } from './content.js';

const target = (n: number, size: number): string => documentId('r', (n * 7919) % size);
const locale = null;
/** Below any id that Mangrove gives out in the meantime: above, it would go on counting from there. */
const FLOOR_IDS = -2;
/** Entries that the floor has made: the numbers of requests begin again with each number of connections. */
let made = 0;

/** The bare driver: the draft changed, the published entry replaced by it, an event noted, in one transaction. */
export const changeAndPublish = async (
  { db, size, transaction }: Floor,
  n: number,
  change: Document,
): Promise<Document> => {
  const key = { documentId: target(n, size), locale };
  let shown: Document = {};
  await transaction(async (options) => {
    const updatedAt = new Date();
    const draft = await db
      .collection('restaurants.drafts')
      .findOneAndUpdate(key, { $set: { ...change, updatedAt } }, { ...options, returnDocument: 'after' });
    const { _id, ...entry } = draft ?? {};
    shown = { ...entry, publishedAt: updatedAt };
    await db.collection('restaurants').replaceOne(key, shown, options);
    await db.collection('floor.outbox').insertOne({ event: 'entry.publish', ...key, at: updatedAt }, options);
  });
  return { data: shown, meta: {} };
};

export const writeCases: readonly Case[] = [
  {
    name: 'PUT draft',
    method: 'PUT',
    path: (n, size) => `/restaurants/${target(n, size)}?status=draft`,
    body: (n) => ({ stars: n % 6 }),
    floor: async ({ db, size, transaction }, n, sent) => {
      const key = { documentId: target(n, size), locale };
      let data: Document | null = null;
      await transaction(async (options) => {
        const change = { $set: { ...sent, updatedAt: new Date() } };
        data = await db
          .collection('restaurants.drafts')
          .findOneAndUpdate(key, change, { ...options, returnDocument: 'after' });
        await db.collection('floor.outbox').insertOne({ event: 'entry.update', ...key }, options);
      });
      return { data, meta: {} };
    },
  },
  {
    name: 'PUT publish',
    method: 'PUT',
    path: (n, size) => `/restaurants/${target(n, size)}`,
    body: (n) => ({ stars: n % 6 }),
    floor: (on, n, sent) => changeAndPublish(on, n, sent),
  },
  {
    name: 'connect',
    method: 'PUT',
    path: (n, size) => `/restaurants/${target(n, size)}`,
    body: (n) => ({ categories: { connect: [documentId('k', n % 50)] } }),
    floor: (on, n) => changeAndPublish(on, n, { categories: [documentId('k', n % 50)] }),
  },
  {
    name: 'POST',
    method: 'POST',
    path: () => '/restaurants',
    body: (n) => ({ name: `New ${n}`, stars: n % 6, location: { city: 'Rome' } }),
    floor: async ({ db, transaction }, _, sent) => {
      const n = made++;
      const entry = {
        documentId: documentId('n', n),
        locale,
        ...sent,
        location: { id: 1, ...sent['location'] },
      };
      const now = new Date();
      const stamps = { createdAt: now, updatedAt: now };
      await transaction(async (options) => {
        await db
          .collection('restaurants.drafts')
          .insertOne({ ...entry, ...stamps, id: FLOOR_IDS - n * 2, publishedAt: null }, options);
        await db
          .collection('restaurants')
          .insertOne({ ...entry, ...stamps, id: FLOOR_IDS - n * 2 + 1, publishedAt: now }, options);
        await db
          .collection('floor.outbox')
          .insertOne({ event: 'entry.create', documentId: entry.documentId }, options);
      });
      return { data: entry, meta: {} };
    },
  },
];
