/** Random rules, each with a test of stored rows that is written without the product. */
import { type Random, randomOf } from '../../../packages/engine/test/support/random.js';
import type { StoredRule } from '../../../src/store/access/roles.js';

type Row = Readonly<Record<string, unknown>>;

/** The stored rows of a type without drafts, by documentId. */
export type RowsOf = (name: string) => ReadonlyMap<string, Row>;

/** A condition as a rule says it, and as this test understands it. */
interface Shape {
  readonly where: object;
  readonly shows: (row: Row, rowsOf: RowsOf) => boolean;
  /** The attributes that it looks at. */
  readonly looksAt: readonly string[];
}

const number = (value: unknown): number =>
  value === null || value === undefined ? Number.NaN : Number(value);

const reached = (value: unknown, name: string, rowsOf: RowsOf): readonly Row[] =>
  (Array.isArray(value) ? value : [value]).flatMap((one: unknown) => {
    const row = rowsOf(name).get(String(one));
    return row ? [row] : [];
  });

/** @param me the numeric id of the account and its name */
const shapes = (me: { readonly id: number; readonly username: string; readonly documentId: string }) => {
  const less = (name: string, most: number): Shape => ({
    where: { [name]: { $lt: most } },
    shows: (row) => number(row[name]) < most,
    looksAt: [name],
  });
  const note: readonly Shape[] = [
    less('num', 5),
    { where: { flag: true }, shows: ({ flag }) => flag === true, looksAt: ['flag'] },
    {
      where: { kind: { $ne: 'odd' }, rank: { $gte: 2 } },
      shows: ({ kind, rank }) => typeof kind === 'string' && kind !== 'odd' && number(rank) >= 2,
      looksAt: ['kind', 'rank'],
    },
    {
      where: { author: { age: { $lt: 6 } } },
      shows: ({ author }, rowsOf) => reached(author, 'person', rowsOf).some(({ age }) => number(age) < 6),
      looksAt: ['author'],
    },
    {
      where: { $or: [{ tags: { weight: { $gte: 4 } } }, { flag: true }] },
      shows: ({ tags, flag }, rowsOf) =>
        flag === true || reached(tags, 'tag', rowsOf).some(({ weight }) => number(weight) >= 4),
      looksAt: ['tags', 'flag'],
    },
    {
      where: { title: { $contains: 't' }, num: { $notNull: true } },
      shows: ({ title, num }) => String(title ?? '').includes('t') && num !== null && num !== undefined,
      looksAt: ['title', 'num'],
    },
  ];
  const tag: readonly Shape[] = [
    less('weight', 5),
    {
      where: { parent: { weight: { $lt: 7 } } },
      shows: ({ parent }, rowsOf) => reached(parent, 'tag', rowsOf).some(({ weight }) => number(weight) < 7),
      looksAt: ['parent', 'weight'],
    },
    {
      where: { code: { $notContains: '1' } },
      shows: ({ code }) => typeof code === 'string' && !code.includes('1'),
      looksAt: ['code'],
    },
  ];
  const shelf: readonly Shape[] = [
    {
      where: { owner: { id: '$caller.id' } },
      shows: ({ owner }) => owner === me.documentId,
      looksAt: ['owner'],
    },
    {
      where: { $or: [{ owner: { username: '$caller.username' } }, { place: { $gte: 4 } }] },
      shows: ({ owner, place }) => owner === me.documentId || number(place) >= 4,
      looksAt: ['owner', 'place'],
    },
  ];
  const person: readonly Shape[] = [less('age', 6)];
  const mark: readonly Shape[] = [
    {
      where: { word: { $in: ['mark1', 'mark2', 'mark3', 'mark4'] } },
      shows: ({ word }) => /^mark[1-4]$/.test(String(word)),
      looksAt: ['word'],
    },
  ];
  const front: readonly Shape[] = [
    {
      where: { heading: { $startsWith: 'x' } },
      shows: ({ heading }) => String(heading).startsWith('x'),
      looksAt: ['heading'],
    },
    {
      where: { heading: { $startsWith: 'f' } },
      shows: ({ heading }) => String(heading).startsWith('f'),
      looksAt: ['heading'],
    },
  ];
  const crate: readonly Shape[] = [
    less('size', 5),
    {
      where: { tag: { weight: { $gte: 3 } } },
      shows: ({ tag: of }, rowsOf) => reached(of, 'tag', rowsOf).some(({ weight }) => number(weight) >= 3),
      looksAt: ['tag'],
    },
  ];
  return { note, tag, shelf, person, mark, front, crate };
};

/** Attributes that rules may leave. */
const FIELDS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  note: [
    ['title', 'num', 'flag', 'tags', 'parts', 'cover', 'locale', 'publishedAt', 'localizations', 'similar'],
    ['title', 'body', 'price', 'author', 'seo', 'zone', 'locale', 'updatedAt', 'shelves', 'vault'],
  ],
  tag: [
    ['name', 'notes', 'children'],
    ['name', 'weight', 'parent'],
  ],
  shelf: [
    ['label', 'note', 'notes'],
    ['place', 'owner', 'part'],
  ],
  person: [['name', 'notes'], ['age']],
  crate: [
    ['name', 'tag'],
    ['size', 'shelves'],
  ],
};

/** What one caller may read of a type. */
interface Ruled {
  readonly shows: (row: Row, rowsOf: RowsOf) => boolean;
  readonly fields: ReadonlySet<string> | null;
  /** The attributes that must stay as they are for the rule to say the same. */
  readonly looksAt: ReadonlySet<string>;
}

export interface RandomRules {
  readonly stored: readonly StoredRule[];
  /** By uid. */
  readonly byType: ReadonlyMap<string, Ruled>;
  /** Attributes of a type at which rules of other types look. */
  readonly kept: Readonly<Record<string, readonly string[]>>;
}

const uidOf = (name: string): string => `api::${name}.${name}`;

function ruleFor(random: Random, name: string, all: readonly Shape[]): readonly [readonly object[], Ruled] {
  const lists = FIELDS[name] ?? [];
  const fields = lists.length > 0 && random.below(3) === 0 ? random.pick(lists) : null;
  const picked = random.below(5) === 0 ? [random.pick(all), random.pick(all)] : [random.pick(all)];
  // Some have fields alone.
  const some = fields !== null && random.below(3) === 0 ? [] : picked;
  const terms =
    some.length === 0 ? [{ fields }] : some.map(({ where }) => ({ where, ...(fields && { fields }) }));
  return [
    terms,
    {
      shows: (row, rowsOf) => some.length === 0 || some.some((shape) => shape.shows(row, rowsOf)),
      fields: fields && new Set(fields),
      looksAt: new Set(some.flatMap(({ looksAt }) => looksAt)),
    },
  ];
}

/** Attributes that bodies may be limited to. */
const WRITTEN: Readonly<Record<string, readonly string[]>> = {
  note: ['title', 'num', 'flag', 'kind', 'tags', 'author', 'similar', 'parts'],
  tag: ['name', 'weight', 'parent', 'notes'],
  shelf: ['label', 'place', 'owner', 'note', 'notes'],
  person: ['name', 'age', 'notes'],
  mark: ['word'],
  front: ['heading', 'parts'],
};

const changesOf = (name: string): readonly string[] => [
  ...(name === 'front' ? [] : ['create']),
  ...['update', 'delete'],
  ...(name === 'note' || name === 'front' ? ['publish', 'unpublish', 'discardDraft'] : []),
];

/** What each action that writes a type needs, at random: nothing, an entry that matches, some attributes. */
function writeRules(random: Random, name: string, all: readonly Shape[]) {
  const looksAt = new Set<string>();
  const rules = changesOf(name).flatMap((action): readonly StoredRule[] => {
    const terms: Record<string, unknown> = {};
    if (random.below(2) === 0) {
      const shape = random.pick(all);
      terms['where'] = shape.where;
      for (const one of shape.looksAt) looksAt.add(one);
    }
    if (/create|update/.test(action) && random.below(4) === 0) terms['write'] = WRITTEN[name];
    if (Object.keys(terms).length === 0) return [];
    return [{ action: `${uidOf(name)}.${action}`, terms: JSON.stringify(terms) }];
  });
  return { rules, looksAt };
}

/** The actions that a caller with `writes` holds besides those that read. */
export const WRITES: readonly string[] = Object.keys(WRITTEN).flatMap((name) =>
  changesOf(name).map((action) => `${uidOf(name)}.${action}`),
);

/** @param writes with rules for the actions that write */
export function randomRules(seed: number, me: Parameters<typeof shapes>[0], writes = false): RandomRules {
  const random = randomOf(seed);
  const stored: StoredRule[] = [];
  const byType = new Map<string, Ruled>();
  for (const [name, all] of Object.entries(shapes(me))) {
    if (name !== 'note' && random.below(4) === 0) continue;
    const [terms, ruled] = ruleFor(random, name, all);
    byType.set(uidOf(name), ruled);
    const actions = name === 'front' ? ['find'] : ['find', 'findOne'];
    for (const action of actions)
      for (const one of terms)
        stored.push({ action: `${uidOf(name)}.${action}`, terms: JSON.stringify(one) });
  }
  if (writes)
    for (const [name, all] of Object.entries(shapes(me)).filter(([name]) => name in WRITTEN)) {
      const { rules, looksAt } = writeRules(random, name, all);
      stored.push(...rules);
      const before = byType.get(uidOf(name)) ?? { shows: () => true, fields: null, looksAt: new Set() };
      byType.set(uidOf(name), { ...before, looksAt: new Set([...before.looksAt, ...looksAt]) });
    }
  return { stored, byType, kept: { [uidOf('person')]: ['age'], [uidOf('tag')]: ['weight'] } };
}
