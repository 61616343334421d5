/** Random queries of the fixture's restaurant type: mostly valid, sometimes hostile. */
import fc from 'fast-check';

/** What an attacker would like to become an operator, a key or a path. */
export const hostileText = fc.constantFrom(
  '$where',
  '$expr',
  '$function',
  '$regex',
  '$$ROOT',
  '$name',
  '__proto__',
  'constructor',
  'secret',
  'internalNote',
  '_id',
  '.*',
  'a.b',
  '{"$gt":""}',
  '\u0000',
  '\\',
);

const text = fc.oneof(
  hostileText,
  fc.string({ maxLength: 8 }),
  fc.constantFrom('1', '-2', '2024-01-01', 'true', ''),
);

const scalars = [
  'name',
  'stars',
  'price',
  'visits',
  'open',
  'founded',
  'opensAt',
  'lastInspection',
  'settings',
  'id',
];
const hops = ['owner', 'categories', 'chef', 'similar', 'menu', 'location', 'cover', 'blocks'];
const names = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...scalars, ...hops, 'firstName', 'city') },
  { weight: 1, arbitrary: hostileText },
);
const operators = fc.constantFrom(
  '$eq',
  '$ne',
  '$eqi',
  '$in',
  '$notIn',
  '$lt',
  '$gte',
  '$between',
  '$contains',
  '$startsWithi',
  '$null',
  '$not',
  '$and',
  '$or',
);

const step = fc.oneof(names, operators, hostileText, fc.constantFrom('0', '1', '100', ''));

const part = (root: string) =>
  fc
    .tuple(fc.array(step, { maxLength: 6 }), text)
    .map(
      ([path, value]) =>
        `${root}${path.map((key) => `[${encodeURIComponent(key)}]`).join('')}=${encodeURIComponent(value)}`,
    );

const populateStep = fc.oneof(
  names,
  hostileText,
  fc.constantFrom('populate', 'fields', 'filters', 'sort', 'count', 'on', 'blocks.hero', '0', '*'),
);
const populatePart = fc
  .tuple(fc.array(populateStep, { maxLength: 6 }), fc.oneof(text, names, fc.constantFrom('*', 'true')))
  .map(([path, value]) => `populate${path.map((key) => `[${key}]`).join('')}=${encodeURIComponent(value)}`);

const roots = ['filters', 'sort', 'fields', 'pagination', 'status', 'locale', '_q', 'publicationFilter'];

/** Any query string at all, of a valid shape or not. */
export const anyQueryText = fc
  .array(fc.oneof(...roots.map(part), populatePart, fc.string({ maxLength: 20 })), { maxLength: 5 })
  .map((parts) => parts.join('&'));

const scalarFilter = fc
  .tuple(
    fc.constantFrom('name', 'email', 'description'),
    fc.constantFrom('$eq', '$ne', '$contains', '$eqi', '$in'),
    text,
  )
  .map(([name, operator, value]) => `[${name}][${operator}]=${encodeURIComponent(value)}`);
const hop = fc.constantFrom(
  '',
  '[owner]',
  '[similar]',
  '[similar][owner]',
  '[$not]',
  '[$or][0]',
  '[$and][1][$not]',
);
const hopFilter = fc
  .tuple(hop, fc.constantFrom('firstName', 'lastName'), text)
  .map(
    ([path, name, value]) =>
      `[owner]${path.includes('owner') ? '[bestFriend]' : ''}[${name}]=${encodeURIComponent(value)}`,
  );

/** Valid queries with hostile values. */
export const rightQueryText = fc
  .tuple(
    fc.array(
      fc.oneof(
        fc
          .tuple(
            hop.filter((path) => !path.includes('owner')),
            scalarFilter,
          )
          .map((pair) => pair.join('')),
        hopFilter,
      ),
      {
        maxLength: 4,
      },
    ),
    fc.option(text.filter((value) => value !== '')),
    fc.constantFrom('', '&sort=name:desc,owner.lastName', '&sort[0][stars]=asc'),
    fc.constantFrom('', '&populate=*', '&populate[owner][fields]=lastName', '&populate=blocks.links'),
  )
  .map(([filters, search, sort, populate]) =>
    [
      ...filters.map((filter) => `filters${filter}`),
      ...(search === null ? [] : [`_q=${encodeURIComponent(search)}`]),
      `fields=id${sort}${populate}`,
    ].join('&'),
  );
