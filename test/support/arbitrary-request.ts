/**
 * Random requests of every content type of the fixture: mostly existing attributes, and an error in half of the
 * requests.
 */
import fc from 'fast-check';
import { modelOf, targetOf } from '../../src/schema/find.js';
import type { Attribute, ContentType, Model, Schema } from '../../src/schema/types.js';
import { hostileText } from './arbitrary-query.js';

type Pair = readonly [key: string, value: string | null];
type Pairs = fc.Arbitrary<readonly Pair[]>;

const operators = fc.constantFrom(
  ...['$eq', '$eqi', '$ne', '$nei', '$in', '$notIn', '$lt', '$lte', '$gt', '$gte', '$between', '$contains'],
  ...[
    '$containsi',
    '$notContains',
    '$notContainsi',
    '$startsWith',
    '$startsWithi',
    '$endsWith',
    '$endsWithi',
  ],
  ...['$null', '$notNull', '$not', '$and', '$or'],
);
const wrongKeys = fc.oneof(
  hostileText,
  fc.constantFrom('', '0', '1', '-1', '100', '99999999999', '*', '[x', 'x]', '🍕', '$and', '$not', 'limit'),
);
const values = fc.oneof(
  fc.constantFrom('1', 'a', 'true', '2024-01-15', '2024-01-15T10:30:00Z', '08:30:00', '12.5', '[1]', ''),
  fc.constantFrom(
    'NaN',
    '1e400',
    '9'.repeat(400),
    '\ud83c',
    '\u0000',
    'x'.repeat(9000),
    '-1',
    '275760-09-14',
  ),
  hostileText,
);
const orders = fc.constantFrom('', ':asc', ':DESC', ':up', ':');

/** Mostly the first. */
const mostly = <T>(right: fc.Arbitrary<T>, wrong: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: wrong });

const attributeOf = (model: Model): fc.Arbitrary<Attribute> =>
  fc.constantFrom(...[...model.attributes.values()].filter(({ private: hidden }) => !hidden));

const one = (key: string, value: fc.Arbitrary<string | null>): Pairs =>
  value.map((text) => [[key, text] as const]);

const together = (parts: Pairs, most: number): Pairs =>
  fc.array(parts, { minLength: 1, maxLength: most }).map((lists) => lists.flat());

function filters(model: Model, schema: Schema, at: string, depth: number): Pairs {
  const wrong = wrongKeys.chain((key) => one(`${at}[${key}]`, values));
  const test = attributeOf(model).chain((attribute): Pairs => {
    const path = `${at}[${attribute.name}]`;
    const target = targetOf(schema, attribute);
    if (target && depth > 0) return filters(target, schema, path, depth - 1);
    const members = fc.constantFrom('', '', '', '[0]', '[1]', '[x]');
    const operator = fc.option(operators, { freq: 8, nil: null });
    return fc
      .tuple(operator, members, fc.option(values, { freq: 12 }))
      .map(([name, member, value]) => [[`${path}${name === null ? '' : `[${name}]`}${member}`, value]]);
  });
  if (depth === 0) return mostly(test, wrong);
  const group = fc
    .constantFrom('$and', '$or')
    .chain((name) =>
      fc
        .tuple(
          filters(model, schema, `${at}[${name}][0]`, depth - 1),
          filters(model, schema, `${at}[${name}][1]`, depth - 1),
        )
        .map((lists) => lists.flat()),
    );
  const negation = filters(model, schema, `${at}[$not]`, depth - 1);
  const right = fc.oneof(
    { weight: 4, arbitrary: test },
    { weight: 1, arbitrary: group },
    { weight: 1, arbitrary: negation },
  );
  return mostly(together(right, 2), wrong);
}

function path(model: Model, schema: Schema, depth: number): fc.Arbitrary<string> {
  const step = attributeOf(model).chain((attribute) => {
    const target = targetOf(schema, attribute);
    if (!target || depth === 0) return fc.constant(attribute.name);
    return path(target, schema, depth - 1).map((rest) => `${attribute.name}.${rest}`);
  });
  return mostly(step, wrongKeys);
}

const sort = (model: Model, schema: Schema, at: string): Pairs =>
  fc
    .tuple(fc.constantFrom('', '[0]', '[1]', '[x]'), path(model, schema, 2), orders)
    .map(([key, name, order]) => [[`${at}${key}`, `${name}${order}`]]);

const fields = (model: Model, at: string): Pairs =>
  one(
    at,
    mostly(
      attributeOf(model).map(({ name }) => name),
      wrongKeys,
    ),
  );

function populate(model: Model, schema: Schema, at: string, depth: number): Pairs {
  const short = one(at, fc.oneof(path(model, schema, 2), fc.constantFrom('*', 'true', '')));
  const named = attributeOf(model).chain((attribute): Pairs => {
    const key = `${at}[${attribute.name}]`;
    const target = targetOf(schema, attribute);
    if (attribute.kind === 'zone')
      return fc.constantFrom(...attribute.components).chain((uid) => {
        const fragment = modelOf(schema, uid);
        return fragment ? options(fragment, schema, `${key}[on][${uid}]`, depth) : one(key, values);
      });
    return target && depth > 0
      ? options(target, schema, key, depth)
      : one(key, fc.constantFrom('true', '0', '*'));
  });
  return mostly(
    fc.oneof(short, together(named, 2)),
    wrongKeys.chain((key) => one(`${at}[${key}]`, values)),
  );
}

const options = (target: Model, schema: Schema, key: string, depth: number): Pairs =>
  mostly(
    together(
      fc.oneof(
        fields(target, `${key}[fields]`),
        filters(target, schema, `${key}[filters]`, 1),
        sort(target, schema, `${key}[sort]`),
        populate(target, schema, `${key}[populate]`, depth - 1),
        one(`${key}[count]`, fc.constantFrom('true', 'maybe')),
      ),
      2,
    ),
    wrongKeys.chain((wrong) => one(`${key}[${wrong}]`, values)),
  );

const others: Pairs = fc
  .tuple(
    fc.constantFrom(
      'pagination[page]',
      'pagination[pageSize]',
      'pagination[start]',
      'pagination[x]',
      'page',
      '_q',
    ),
    values,
  )
  .map((pair) => [pair]);
const modes: Pairs = fc
  .tuple(
    fc.constantFrom('status', 'locale', 'locale[]', 'publicationFilter', 'hasPublishedVersion'),
    fc.oneof(fc.constantFrom('draft', 'fr', '*', 'modified', 'never-published-document', 'true'), values),
  )
  .map((pair) => [pair]);

/** Percent-encoded, as far as the string can be. */
const encode = (text: string): string => encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd'));
const broken = fc.constantFrom(
  '',
  '',
  '',
  '',
  '',
  '',
  '&%zz=%',
  '&[',
  '&filters[name',
  '&=&&',
  '&filters[name]=%E9',
);

const queryOf = (type: ContentType, schema: Schema): fc.Arbitrary<string> => {
  const part = fc.oneof(
    { weight: 3, arbitrary: filters(type, schema, 'filters', 2) },
    { weight: 3, arbitrary: populate(type, schema, 'populate', 2) },
    { weight: 2, arbitrary: sort(type, schema, 'sort') },
    { weight: 1, arbitrary: fields(type, 'fields') },
    { weight: 1, arbitrary: others },
    { weight: 1, arbitrary: modes },
  );
  return fc.tuple(fc.array(part, { maxLength: 3 }), broken).map(
    ([parts, tail]) =>
      parts
        .flat()
        .map(([key, value]) => (value === null ? encode(key) : `${encode(key)}=${encode(value)}`))
        .join('&') + tail,
  );
};

/** `/restaurants?filters…`, below the prefix. */
export const anyRequest = (schema: Schema): fc.Arbitrary<string> => {
  const types = [...schema.contentTypes.values()].filter(({ origin }) => origin === 'api');
  return fc.constantFrom(...types).chain((type) =>
    fc.tuple(fc.constantFrom('', '', '', '/nope'), queryOf(type, schema)).map(([one, query]) => {
      const single = type.kind === 'singleType';
      return `/${single ? type.singularName : type.pluralName + one}?${query}`;
    }),
  );
};
