import { Decimal128, Long } from 'bson';

/**
 * The content of the benchmark, in stored form: restaurants (draft and published) with three relations, two components and a
 * dynamic zone; the same for the same number on every machine. A tenth as many people and chefs, fifty categories.
 */
type Entry = Record<string, unknown>;

const CITIES = ['Rome', 'Paris', 'Kyoto', 'Oaxaca', 'Lisbon', 'Bergen', 'Tunis', 'Lima'] as const;
export const CUISINES = ['italian', 'french', 'japanese', 'mexican'] as const;
export const SYLLABLES = [
  'bel',
  'la',
  'mo',
  'ra',
  'zen',
  'ta',
  'ko',
  'ri',
  'sol',
  'ven',
  'du',
  'pa',
] as const;
const EPOCH = Date.UTC(2024, 0, 1);

/** A well-mixed number of `n` (Knuth's multiplicative hash), so that neighbours differ and runs agree. */
export const mix = (n: number, salt: number): number => Math.imul(n + salt * 7919 + 1, 2654435761) >>> 0;
export const pick = <T>(list: readonly T[], n: number): T => list[n % list.length] as T;

/** 24 characters, first a letter: the form of every documentId. */
export const documentId = (kind: string, n: number): string => `${kind}${String(n).padStart(23, '0')}`;

const name = (n: number): string =>
  [1, 2, 3]
    .map((salt) => pick(SYLLABLES, mix(n, salt)))
    .join('')
    .replace(/^./, (c) => c.toUpperCase());

const stamps = (n: number, publishedAt: Date | null): Entry => ({
  createdAt: new Date(EPOCH + n * 1000),
  updatedAt: new Date(EPOCH + n * 1000),
  publishedAt,
  locale: null,
  createdBy: null,
  updatedBy: null,
});

export const email = (person: number): string => `person${person}@example.test`;

const person = (n: number): Entry => ({
  documentId: documentId('p', n),
  firstName: name(mix(n, 11)),
  lastName: name(mix(n, 12)),
  email: email(n),
  born: `19${50 + (n % 50)}-0${1 + (n % 9)}-1${n % 10}`,
});

const chef = (n: number): Entry => ({
  documentId: documentId('c', n),
  name: `${name(mix(n, 21))} ${name(mix(n, 22))}`,
  level: mix(n, 23) % 10,
  bio: `Cooks since ${1970 + (n % 50)}. `.repeat(4),
});

const category = (n: number): Entry => ({
  documentId: documentId('k', n),
  name: `Category ${n}`,
  color: `#${n}`,
});

const ownerOf = (n: number, people: number): number => mix(n, 10) % people;

const restaurant = (n: number, people: number): Entry => ({
  documentId: documentId('r', n),
  name: name(n),
  slug: `restaurant-${n}`,
  description: `A place to sit in ${pick(CITIES, mix(n, 3))}. `.repeat(3),
  stars: mix(n, 4) % 6,
  price: Decimal128.fromString((5 + (mix(n, 5) % 9500) / 100).toFixed(2)),
  rating: (mix(n, 6) % 500) / 100,
  visits: Long.fromNumber(mix(n, 7)),
  contact: email(ownerOf(n, people)),
  open: n % 3 !== 0,
  cuisine: pick(CUISINES, mix(n, 8)),
  founded: `${1950 + (n % 70)}-06-01`,
  opensAt: '10:30:00.000',
  lastInspection: new Date(EPOCH + n * 60_000),
  settings: { wifi: n % 2 === 0, seats: n % 80 },
  internalNote: 'not for the public',
  categories: [0, 1, 2].map((i) => documentId('k', (mix(n, 9) + i * 17) % 50)),
  owner: documentId('p', ownerOf(n, people)),
  chef: documentId('c', n % people),
  menu: [1, 2, 3].map((id) => ({
    id,
    name: `Dish ${id}`,
    price: Decimal128.fromString(`${id}.50`),
    spicy: id === 2,
  })),
  location: { id: 1, street: `${n} Main Street`, city: pick(CITIES, mix(n, 3)), lat: 41.9, lng: 12.5 },
  blocks: [
    { __component: 'blocks.hero', id: 1, title: `Welcome ${n}`, subtitle: 'Fresh every day' },
    { __component: 'blocks.quote', id: 2, text: 'Wonderful.', author: 'A guest' },
  ],
});

/** As another program might keep it. */
const theirShop = (n: number, people: number): Entry => ({
  _id: n + 1,
  name: name(n),
  stars: mix(n, 4) % 6,
  price: Decimal128.fromString((5 + (mix(n, 5) % 9500) / 100).toFixed(2)),
  opened: new Date(EPOCH + n * 60_000),
  tags: [pick(CUISINES, mix(n, 8)), 'food'],
  contact: { mail: email(ownerOf(n, people)), phone: '0' },
  place: { city: pick(CITIES, mix(n, 3)), no: n },
  owner_no: ownerOf(n, people) + 1,
  __v: 0,
});

/** The collections of one size, each a function from a position to its entry, so that 100,000 need not be in memory at once. */
export interface Collection {
  readonly name: string;
  readonly count: number;
  /** Of a collection that Mangrove makes none in. */
  readonly index?: Readonly<Record<string, 1 | -1>>;
  entry(n: number): Entry;
}

export const tenth = (size: number): number => Math.max(50, Math.floor(size / 10));

/** Accounts of the benchmark, an even number; each has memos for more than one page. */
export const accounts = (size: number): number => Math.max(2, 2 * Math.floor(size / 200));
/** The roles of accounts: in turns, one that reads all memos, and one that reads its own. */
export const ROLES = ['free', 'owner'] as const;

const account = (n: number): Entry => ({
  documentId: documentId('a', n),
  username: `account ${n}`,
  email: `account${n}@example.test`,
  provider: 'local',
  confirmed: true,
  blocked: false,
  role: documentId('r', n % ROLES.length),
});

/** All collections for `size` restaurants. With Draft & Publish the draft has the odd and the published entry the even `id`. */
export const collections = (size: number): readonly Collection[] => {
  const people = tenth(size);
  const versions = (base: string, count: number, make: (n: number) => Entry): Collection[] => [
    {
      name: base,
      count,
      entry: (n) => ({ id: n * 2 + 2, ...make(n), ...stamps(n, new Date(EPOCH + n * 1000 + 5)) }),
    },
    { name: `${base}.drafts`, count, entry: (n) => ({ id: n * 2 + 1, ...make(n), ...stamps(n, null) }) },
  ];
  return [
    {
      name: 'categories',
      count: 50,
      entry: (n) => ({ id: n + 1, ...category(n), ...stamps(n, new Date(EPOCH)) }),
    },
    {
      name: 'mangrove.roles',
      count: ROLES.length,
      entry: (n) => ({
        id: n + 1,
        ...{ documentId: documentId('r', n), name: ROLES[n], description: '', type: ROLES[n], grants: [] },
        ...stamps(n, new Date(EPOCH)),
      }),
    },
    {
      name: 'mangrove.users',
      count: accounts(size),
      entry: (n) => ({ id: n + 1, ...account(n), ...stamps(n, new Date(EPOCH)) }),
    },
    {
      name: 'memos',
      count: size,
      entry: (n) => ({
        id: n + 1,
        documentId: documentId('m', n),
        title: name(n),
        body: name(n + 1).repeat(20),
        author: documentId('a', mix(n, 21) % accounts(size)),
        ...stamps(n, new Date(EPOCH)),
      }),
    },
    ...versions('people', people, person),
    ...versions('chefs', people, chef),
    ...versions('restaurants', size, (n) => restaurant(n, people)),
    { name: 'their_owners', count: people, entry: (n) => ({ _id: n + 1, name: name(n), __v: 0 }) },
    {
      name: 'their_shops',
      count: size,
      index: { stars: 1, name: 1, _id: 1 },
      entry: (n) => theirShop(n, people),
    },
  ];
};
