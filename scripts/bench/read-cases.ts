import type { Document } from 'mongodb';
import type { Case, Floor } from './case.js';
import { documentId, email, tenth } from './content.js';

export const SHOWN: Document = Object.fromEntries(
  [
    ...[
      'id',
      'documentId',
      'name',
      'slug',
      'description',
      'stars',
      'price',
      'rating',
      'visits',
      'contact',
      'open',
      'cuisine',
    ],
    ...['founded', 'opensAt', 'lastInspection', 'settings', 'createdAt', 'updatedAt', 'publishedAt'],
  ].map((field) => [field, 1]),
);
export const PERSON: Document = {
  id: 1,
  documentId: 1,
  firstName: 1,
  lastName: 1,
  email: 1,
  born: 1,
  createdAt: 1,
  updatedAt: 1,
  publishedAt: 1,
};
export const CHEF: Document = {
  id: 1,
  documentId: 1,
  name: 1,
  level: 1,
  bio: 1,
  createdAt: 1,
  updatedAt: 1,
  publishedAt: 1,
};
const CATEGORY: Document = {
  id: 1,
  documentId: 1,
  name: 1,
  color: 1,
  createdAt: 1,
  updatedAt: 1,
  publishedAt: 1,
};

export const show = (fields: Document): Document => ({ $project: { _id: 0, ...fields } });
export const join = (from: string, field: string, fields: Document): Document => ({
  $lookup: { from, localField: field, foreignField: 'documentId', as: field, pipeline: [show(fields)] },
});
export const POPULATED: readonly Document[] = [
  join('people', 'owner', PERSON),
  join('chefs', 'chef', CHEF),
  join('categories', 'categories', CATEGORY),
  show({ ...SHOWN, owner: 1, chef: 1, categories: 1, location: 1, menu: 1, blocks: 1 }),
];

export const list = async (
  { db, exactMetadata }: Floor,
  stages: readonly Document[],
  match: Document | null,
  name = 'restaurants',
): Promise<Document> => {
  const collection = db.collection(name);
  const [data, total] = await Promise.all([
    collection.aggregate(match ? [{ $match: match }, ...stages] : [...stages]).toArray(),
    match || !exactMetadata ? collection.countDocuments(match ?? {}) : collection.estimatedDocumentCount(),
  ]);
  return { data, meta: { pagination: { page: 1, pageSize: 25, pageCount: Math.ceil(total / 25), total } } };
};
export const page = (sort: Document, skip = 0, size = 25): Document[] => [
  { $sort: sort },
  { $skip: skip },
  { $limit: size },
];

/** Page 400, or the last one of a smaller collection. */
const deepPage = (size: number): number => Math.min(400, Math.floor(size / 25));

export const readCases: readonly Case[] = [
  {
    name: 'list',
    method: 'GET',
    path: () => '/restaurants',
    floor: (on) => list(on, [...page({ id: 1 }), show(SHOWN)], null),
  },
  {
    name: 'list populated',
    method: 'GET',
    path: () =>
      '/restaurants?populate[owner]=true&populate[chef]=true&populate[categories]=true&populate[location]=true&populate[menu]=true&populate[blocks]=true',
    floor: (on) => list(on, [...page({ id: 1 }), ...POPULATED], null),
  },
  {
    name: 'filtered, sorted',
    method: 'GET',
    path: (n) =>
      `/restaurants?filters[stars][$gte]=${3 + (n % 3)}&filters[name][$contains]=zen&sort=stars:desc,name`,
    floor: (on, n) =>
      list(on, [...page({ stars: -1, name: 1, id: 1 }), show(SHOWN)], {
        stars: { $gte: 3 + (n % 3) },
        name: /zen/,
      }),
  },
  {
    name: 'deep filter',
    method: 'GET',
    path: (n, size) => `/restaurants?filters[owner][email][$eq]=${email(n % tenth(size))}`,
    floor: async ({ db, size }, n) => {
      const owners = await db
        .collection('people')
        .find({ email: email(n % tenth(size)) }, { projection: { documentId: 1 } })
        .toArray();
      const match = { owner: { $in: owners.map((owner) => owner['documentId']) } };
      const data = await db
        .collection('restaurants')
        .aggregate([{ $match: match }, ...page({ id: 1 }), show(SHOWN)])
        .toArray();
      return { data, meta: {} };
    },
  },
  {
    name: 'same filter, own field',
    method: 'GET',
    path: (n, size) => `/restaurants?filters[contact][$eq]=${email(n % tenth(size))}`,
    floor: async ({ db, size }, n) => {
      const match = { contact: email(n % tenth(size)) };
      const data = await db
        .collection('restaurants')
        .aggregate([{ $match: match }, ...page({ id: 1 }), show(SHOWN)])
        .toArray();
      return { data, meta: {} };
    },
  },
  {
    name: 'by slug',
    method: 'GET',
    path: (n, size) => `/restaurants?filters[slug][$eq]=restaurant-${(n * 7919) % size}`,
    floor: async ({ db, size }, n) => {
      const match = { slug: `restaurant-${(n * 7919) % size}` };
      const data = await db
        .collection('restaurants')
        .aggregate([{ $match: match }, ...page({ id: 1 }), show(SHOWN)])
        .toArray();
      return { data, meta: {} };
    },
  },
  {
    name: 'deep sort',
    method: 'GET',
    path: () => '/restaurants?filters[slug][$startsWith]=restaurant-1&sort=owner.lastName',
    floor: (on) => {
      const key = {
        from: 'people',
        localField: 'owner',
        foreignField: 'documentId',
        as: 'o',
        pipeline: [show({ lastName: 1 })],
      };
      const stages = [{ $lookup: key }, ...page({ 'o.lastName': 1, id: 1 }), show(SHOWN)];
      return list(on, stages, { slug: /^restaurant-1/ });
    },
  },
  {
    name: 'find one',
    method: 'GET',
    path: (n, size) => `/restaurants/${documentId('r', (n * 7919) % size)}`,
    floor: async ({ db, size }, n) => {
      const match = { documentId: documentId('r', (n * 7919) % size) };
      const [data] = await db
        .collection('restaurants')
        .aggregate([{ $match: match }, show(SHOWN)])
        .toArray();
      return { data, meta: {} };
    },
  },
  {
    name: 'page 400',
    method: 'GET',
    path: (_, size) => `/restaurants?pagination[page]=${deepPage(size)}`,
    floor: (on) => list(on, [...page({ id: 1 }, (deepPage(on.size) - 1) * 25), show(SHOWN)], null),
  },
];
