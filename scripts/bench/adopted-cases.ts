import type { Document } from 'mongodb';
import type { Case, Floor } from './case.js';

/** What Mangrove shows of a shop of another program, by its paths. */
const SHOWN = { name: 1, stars: 1, price: 1, opened: 1, tags: 1, 'contact.mail': 1, 'place.city': 1 };

const page = (sort: Document): readonly Document[] => [{ $sort: sort }, { $limit: 25 }];

const list = async (
  { db, exactMetadata }: Floor,
  stages: readonly Document[],
  match: Document | null = null,
): Promise<Document> => {
  const shops = db.collection('their_shops');
  const [data, total] = await Promise.all([
    shops.aggregate([...(match ? [{ $match: match }] : []), ...stages]).toArray(),
    match || !exactMetadata ? shops.countDocuments(match ?? {}) : shops.estimatedDocumentCount(),
  ]);
  return { data, meta: { pagination: { page: 1, pageSize: 25, pageCount: Math.ceil(total / 25), total } } };
};

const OWNER: Document = {
  $lookup: {
    from: 'their_owners',
    localField: 'owner_no',
    foreignField: '_id',
    as: 'owner',
    pipeline: [{ $project: { name: 1 } }],
  },
};

/** Collections that other programs wrote, read in place. */
export const adoptedCases: readonly Case[] = [
  {
    name: 'adopted list',
    method: 'GET',
    path: () => '/their-shops',
    floor: (on) => list(on, [...page({ _id: 1 }), { $project: SHOWN }]),
  },
  {
    name: 'adopted populated',
    method: 'GET',
    path: () => '/their-shops?populate=owner',
    floor: (on) => list(on, [...page({ _id: 1 }), OWNER, { $project: { ...SHOWN, owner: 1 } }]),
  },
  {
    name: 'adopted one',
    method: 'GET',
    path: (n, size) => `/their-shops/${1 + ((n * 7919) % size)}`,
    floor: async ({ db, size }, n) => {
      const match = { _id: { $eq: 1 + ((n * 7919) % size) } };
      const [data] = await db
        .collection<{ _id: number }>('their_shops')
        .aggregate([{ $match: match }, { $project: SHOWN }])
        .toArray();
      return { data, meta: {} };
    },
  },
  {
    name: 'adopted filtered',
    method: 'GET',
    path: (n) => `/their-shops?filters[stars][$eq]=${n % 6}&sort=name`,
    floor: (on, n) => list(on, [...page({ name: 1, _id: 1 }), { $project: SHOWN }], { stars: n % 6 }),
  },
];
