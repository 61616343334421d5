/**
 * Requests like real traffic: 5,000 different ones, drawn with a Zipf distribution, so that few are frequent and most are rare, and
 * 3 % writes. Each kind of request is a case of its own, too.
 */
import type { Document } from 'mongodb';
import type { Case, Floor } from './case.js';
import { CUISINES, documentId, email, mix, pick, SYLLABLES, tenth } from './content.js';
import { CHEF, join, list, PERSON, POPULATED, page, SHOWN, show } from './read-cases.js';
import { writeCases } from './write-cases.js';

const DIFFERENT = 5000;
const WRITES = 0.03;

/** One of the different requests: its path, and its floor. */
interface Visit {
  readonly path: string;
  floor(on: Floor): Promise<Document>;
}

type Make = (rank: number, size: number) => Visit;

const restaurants = (query: string): string => `/restaurants?${query}`;

const one = async ({ db }: Floor, documentId: string, stages: readonly Document[]): Promise<Document> => {
  const [data] = await db
    .collection('restaurants')
    .aggregate([{ $match: { documentId } }, ...stages])
    .toArray();
  return { data, meta: {} };
};

const text = (rank: number): string => `${pick(SYLLABLES, mix(rank, 31))}${pick(SYLLABLES, mix(rank, 32))}`;

/** A page of a list, forward or backward. */
const listed: Make = (rank, size) => {
  const pageSize = rank % 2 === 0 ? 25 : 10;
  const at = mix(rank, 33) % Math.min(100, Math.floor(size / pageSize));
  const direction = rank % 3 === 0 ? -1 : 1;
  const sort = direction === 1 ? '' : '&sort=id:desc';
  return {
    path: restaurants(`pagination[page]=${at + 1}&pagination[pageSize]=${pageSize}${sort}`),
    floor: (on) => list(on, [...page({ id: direction }, at * pageSize, pageSize), show(SHOWN)], null),
  };
};

const populated: Make = (rank, size) => {
  const at = mix(rank, 34) % Math.min(100, Math.floor(size / 25));
  const names = ['owner', 'chef', 'categories', 'location', 'menu', 'blocks'];
  const populate = names.map((name) => `populate[${name}]=true`).join('&');
  return {
    path: restaurants(`${populate}&pagination[page]=${at + 1}`),
    floor: (on) => list(on, [...page({ id: 1 }, at * 25), ...POPULATED], null),
  };
};

/** By an attribute, by one of a relation, or by several. */
const filtered: Make = (rank, size) => {
  const mail = email(mix(rank, 35) % tenth(size));
  const first = (match: Document) => (on: Floor) => list(on, [...page({ id: 1 }), show(SHOWN)], match);
  if (rank % 3 === 0)
    return { path: restaurants(`filters[contact][$eq]=${mail}`), floor: first({ contact: mail }) };
  if (rank % 3 === 1)
    return {
      path: restaurants(`filters[owner][email][$eq]=${mail}`),
      floor: async (on) => {
        const owners = await on.db
          .collection('people')
          .find({ email: mail }, { projection: { documentId: 1 } })
          .toArray();
        return first({ owner: { $in: owners.map((owner) => owner['documentId']) } })(on);
      },
    };
  const cuisine = pick(CUISINES, mix(rank, 36));
  const least = mix(rank, 37) % 5;
  const at = mix(rank, 38) % 5;
  const query = `filters[cuisine][$eq]=${cuisine}&filters[stars][$gte]=${least}&pagination[page]=${at + 1}`;
  return {
    path: restaurants(query),
    floor: (on) => list(on, [...page({ id: 1 }, at * 25), show(SHOWN)], { cuisine, stars: { $gte: least } }),
  };
};

/** A single entry, every third populated. */
const byId: Make = (rank, size) => {
  const id = documentId('r', mix(rank, 39) % size);
  if (rank % 3 > 0) return { path: `/restaurants/${id}`, floor: (on) => one(on, id, [show(SHOWN)]) };
  const joins = [join('people', 'owner', PERSON), join('chefs', 'chef', CHEF)];
  return {
    path: `/restaurants/${id}?populate[owner]=true&populate[chef]=true`,
    floor: (on) => one(on, id, [...joins, show({ ...SHOWN, owner: 1, chef: 1 })]),
  };
};

const bySlug: Make = (rank, size) => {
  const slug = `restaurant-${mix(rank, 40) % size}`;
  return {
    path: restaurants(`filters[slug][$eq]=${slug}`),
    floor: (on) => list(on, [...page({ id: 1 }), show(SHOWN)], { slug }),
  };
};

const SEARCHED = ['name', 'slug', 'description', 'contact', 'cuisine'];

const searched: Make = (rank) => {
  const pattern = new RegExp(text(rank), 'i');
  return {
    path: restaurants(`_q=${text(rank)}`),
    floor: (on) =>
      list(on, [...page({ id: 1 }), show(SHOWN)], {
        $or: SEARCHED.map((field) => ({ [field]: pattern })),
      }),
  };
};

/** The kinds of requests, and their share of the different ones in hundredths. */
const KINDS: readonly (readonly [name: string, share: number, make: Make])[] = [
  ['list', 20, listed],
  ['populated', 15, populated],
  ['filter', 20, filtered],
  ['by id', 25, byId],
  ['by slug', 15, bySlug],
  ['_q', 5, searched],
];

const kindOf = (rank: number): number => {
  let left = mix(rank, 41) % 100;
  return KINDS.findIndex(([, share]) => {
    left -= share;
    return left < 0;
  });
};

/** Draws ranks, the k-th as often as 1/k of the first (Zipf). The n-th draw is the same for every contender. */
const zipf = (ranks: readonly number[]): ((n: number) => number) => {
  let sum = 0;
  const sums = ranks.map((rank) => {
    sum += 1 / (rank + 1);
    return sum;
  });
  return (n) => {
    const wanted = (mix(n, 42) / 2 ** 32) * sum;
    let [low, high] = [0, sums.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 0) < wanted) low = middle + 1;
      else high = middle;
    }
    return ranks[low] ?? 0;
  };
};

const RANKS = Array.from({ length: DIFFERENT }, (_, rank) => rank);
const visitOf = (rank: number, size: number): Visit => {
  const make = KINDS[kindOf(rank)]?.[2] ?? listed;
  return make(rank, size);
};

const reads = (name: string, ranks: readonly number[]): Case => {
  const draw = zipf(ranks);
  return {
    name: `traffic: ${name}`,
    method: 'GET',
    path: (n, size) => visitOf(draw(n), size).path,
    floor: (on, n) => visitOf(draw(n), on.size).floor(on),
  };
};

const all = reads('all', RANKS);
const [draft, publish] = writeCases;
/** Drafts and publications in turn. */
const writeAt = (n: number): Case | undefined => (mix(n, 43) % 2 === 0 ? draft : publish);
const isWrite = (n: number): boolean => mix(n, 44) / 2 ** 32 < WRITES;

const mixed = (name: string, writes: (n: number) => boolean): Case => {
  const at = (n: number): Case => (writes(n) ? (writeAt(n) ?? all) : all);
  return {
    name: `traffic: ${name}`,
    method: (n) => (writes(n) ? 'PUT' : 'GET'),
    path: (n, size) => at(n).path(n, size),
    body: (n, size) => at(n).body?.(n, size) ?? null,
    floor: (on, n, sent) => at(n).floor(on, n, sent),
  };
};

export const trafficCases: readonly Case[] = [
  mixed('all', isWrite),
  ...KINDS.map(([name], kind) =>
    reads(
      name,
      RANKS.filter((rank) => kindOf(rank) === kind),
    ),
  ),
  mixed('writes', () => true),
];
