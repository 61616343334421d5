/** Random queries of the content API that name what is visible and, less often, what is not. */

import type { Random } from '../../../packages/engine/test/support/random.js';
import { targetOf } from '../../../src/schema/find.js';
import type { Attribute, ContentType, Model, Schema } from '../../../src/schema/types.js';
import { brackets, hiddenFrom, pathsFrom, queriesFor, zoneQueries } from '../attribute-paths.js';
import type { Asking } from './callers.js';
import type { Values } from './values.js';

export interface Asks {
  readonly schema: Schema;
  readonly values: Values;
  readonly random: Random;
  readonly asking: Asking;
}

const ONE_VALUE = ['$eq', '$eqi', '$ne', '$nei', '$lt', '$lte', '$gt', '$gte'];
const PART = [
  '$contains',
  '$containsi',
  '$notContains',
  '$notContainsi',
  '$startsWith',
  '$startsWithi',
  '$endsWith',
  '$endsWithi',
];
const LIST = ['$in', '$notIn'];
const NULLS = ['$null', '$notNull'];
const PUBLICATION = [
  'never-published',
  'has-published-version',
  'modified',
  'unmodified',
  'never-published-document',
  'has-published-version-document',
  'published-without-draft',
  'published-with-draft',
];

/** Once in this many picks, an attribute on the way may be hidden, and the last one. */
const RARELY = 12;
const SOMETIMES = 4;

export const encode = (pairs: readonly (readonly [string, string])[]): string =>
  pairs.map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`).join('&');

export type Pairs = (readonly [key: string, value: string])[];

export function queriesOf({ schema, values, random, asking }: Asks) {
  const isClosed = hiddenFrom(asking.grants);
  const leftOut = new Set(
    [...(asking.rules?.byType ?? [])].flatMap(([uid, { fields }]) =>
      [...(schema.contentTypes.get(uid)?.attributes.values() ?? [])].filter(
        ({ name }) => fields && !fields.has(name) && name !== 'id' && name !== 'documentId',
      ),
    ),
  );
  const isHidden = (attribute: Attribute): boolean => leftOut.has(attribute) || isClosed(attribute);
  const chance = (of: number): boolean => random.below(of) === 0;
  const flag = (): string => String(chance(2));

  function attributeOf(model: Model, suits: (attribute: Attribute) => boolean = () => true): Attribute {
    const every = [...model.attributes.values()].filter(suits);
    const visible = every.filter((attribute) => !isHidden(attribute));
    return random.pick(chance(RARELY) || visible.length === 0 ? every : visible);
  }

  /** A scalar, which may be private or a password. */
  function scalarOf(model: Model): Attribute {
    const scalars = [...model.attributes.values()].filter(isScalar);
    const hidden = scalars.filter(isHidden);
    return hidden.length > 0 && chance(SOMETIMES) ? random.pick(hidden) : attributeOf(model, isScalar);
  }

  const isScalar = ({ kind }: Attribute): boolean => kind === 'scalar';
  const leads = (attribute: Attribute): boolean =>
    targetOf(schema, attribute) !== null && targetOf(schema, attribute) !== undefined;

  /** Half of the steps go on to another model. */
  function step(model: Model, depth: number): Attribute {
    const further = depth > 0 && !chance(2) && [...model.attributes.values()].some(leads);
    return further ? attributeOf(model, leads) : scalarOf(model);
  }

  function test(at: string, name: string): Pairs {
    const value = (): string => values.of(random, name);
    const kind = random.below(10);
    if (kind < 4) return [[`${at}[${random.pick(ONE_VALUE)}]`, value()]];
    if (kind < 6) return [[`${at}[${random.pick(PART)}]`, value()]];
    if (kind === 6) {
      const operator = random.pick(LIST);
      return [0, 1].map((index) => [`${at}[${operator}][${index}]`, value()]);
    }
    if (kind === 7) return [0, 1].map((index) => [`${at}[$between][${index}]`, value()]);
    if (kind === 8) return [[`${at}[${random.pick(NULLS)}]`, flag()]];
    return chance(2) ? [[at, value()]] : test(`${at}[$not]`, name);
  }

  function filters(model: Model, at: string, depth: number): Pairs {
    if (depth > 0 && chance(6)) {
      const group = random.pick(['$and', '$or']);
      return [0, 1].flatMap((index) => filters(model, `${at}[${group}][${index}]`, depth - 1));
    }
    if (depth > 0 && chance(8)) return filters(model, `${at}[$not]`, depth - 1);
    const attribute = step(model, depth);
    const path = `${at}[${attribute.name}]`;
    const target = targetOf(schema, attribute);
    if (!target) return test(path, attribute.name);
    if (!chance(6)) return filters(target, path, depth - 1);
    return chance(2) ? [[`${path}[${random.pick(NULLS)}]`, flag()]] : [[path, values.id(random)]];
  }

  function path(model: Model, depth: number): string {
    const attribute = step(model, depth);
    const target = targetOf(schema, attribute);
    return target ? `${attribute.name}.${path(target, depth - 1)}` : attribute.name;
  }

  const sort = (model: Model, at: string): Pairs =>
    Array.from({ length: 1 + random.below(2) }, (_, index) => [
      `${at}[${index}]`,
      `${path(model, 3)}${random.pick([':asc', ':desc'])}`,
    ]);

  const fields = (model: Model, at: string): Pairs =>
    chance(8) ? [[at, '*']] : [0, 1].map((index) => [`${at}[${index}]`, scalarOf(model).name]);

  function populate(model: Model, at: string, depth: number): Pairs {
    if (chance(5)) return [[at, chance(2) ? '*' : path(model, 2).split('.').slice(0, -1).join('.') || '*']];
    const attribute = attributeOf(model, ({ kind }) => kind !== 'scalar');
    const place = `${at}[${attribute.name}]`;
    if (attribute.kind === 'zone' || (attribute.kind === 'relation' && attribute.target === null)) {
      const uids = attribute.kind === 'zone' ? attribute.components : [...schema.contentTypes.keys()];
      const uid = random.pick(uids.filter((one) => !one.startsWith('plugin::') || chance(9)));
      const inner = schema.components.get(uid) ?? schema.contentTypes.get(uid);
      return inner && !chance(3)
        ? options(inner, `${place}[on][${uid}]`, depth - 1)
        : [[`${place}[populate]`, '*']];
    }
    const target = targetOf(schema, attribute);
    return target && depth > 0 ? options(target, place, depth - 1) : [[place, 'true']];
  }

  function options(target: Model, at: string, depth: number): Pairs {
    const kind = random.below(6);
    if (kind === 0) return [[`${at}[count]`, 'true']];
    if (kind === 1) return fields(target, `${at}[fields]`);
    if (kind === 2) return filters(target, `${at}[filters]`, 2);
    if (kind === 3) return sort(target, `${at}[sort]`);
    if (kind === 4 && depth > 0) return populate(target, `${at}[populate]`, depth);
    return [...filters(target, `${at}[filters]`, 1), ...sort(target, `${at}[sort]`)];
  }

  function page(): Pairs {
    const size = String(1 + random.below(4));
    const count: Pairs = chance(3) ? [['pagination[withCount]', flag()]] : [];
    if (chance(2))
      return [['pagination[page]', String(1 + random.below(3))], ['pagination[pageSize]', size], ...count];
    return [['pagination[start]', String(random.below(4))], ['pagination[limit]', size], ...count];
  }

  function mode(): Pairs {
    const kind = random.below(6);
    if (kind < 2) return [['locale', random.pick(['fr', 'en', '*', 'de'])]];
    if (kind === 2) return [['status', random.pick(['draft', 'published'])]];
    if (kind === 3) return [['publicationFilter', random.pick(PUBLICATION)]];
    if (kind === 4) return [['hasPublishedVersion', flag()]];
    return [[random.pick(['locale[$ne]', 'locale[$eq]']), random.pick(['fr', 'en'])]];
  }

  const search = (): Pairs => [
    ['_q', values.of(random, random.pick(['title', 'secret', 'secret', 'name', 'code', 'mail']))],
  ];

  /** Something hidden nearby, named at each place where a query names attributes. */
  function direct(type: ContentType): Pairs {
    const own = [...type.attributes.values()].filter((one) => isScalar(one) && isHidden(one));
    if (own.length > 0 && chance(4)) return [['_q', values.of(random, random.pick(own).name)]];
    const options = { schema, isHidden, steps: 2 };
    const paths = pathsFrom(type, options).filter(({ hidden }) => hidden);
    const asked = chance(4)
      ? zoneQueries(type, options)
      : paths.length > 0
        ? queriesFor(random.pick(paths).names)
        : [];
    return asked.length === 0 ? [] : [...new URLSearchParams(random.pick(asked))];
  }

  /** What no short run should leave to chance: each private value of the type itself, and each publication filter. */
  function certain(type: ContentType): readonly Pairs[] {
    const own = [...type.attributes.values()].filter((one) => isScalar(one) && isHidden(one) && !one.system);
    const states = [
      ...PUBLICATION.map((name) => ['publicationFilter', name] as const),
      ['hasPublishedVersion', 'false'] as const,
    ];
    return [
      ...own.flatMap(({ name }): Pairs[] => {
        const value = values.of(random, name);
        return [[[`filters[${name}][$lte]`, value]], [['sort', name]], [['_q', value]], [['fields', name]]];
      }),
      ...(type.draftAndPublish ? states.map((state): Pairs => [state]) : []),
      ...throughRules(type),
    ];
  }

  /** Each relation to a type with a rule: filtered and sorted through by each of its values, populated and counted. */
  function throughRules(type: ContentType): readonly Pairs[] {
    return [...type.attributes.values()].flatMap((attribute): Pairs[] => {
      const target = targetOf(schema, attribute);
      if (attribute.kind !== 'relation' || !target || !asking.rules?.byType.has(target.uid)) return [];
      const { name } = attribute;
      const scalars = [...target.attributes.values()].filter((one) => isScalar(one) && !isHidden(one));
      return [
        [[`populate[${name}]`, 'true']],
        [[`populate[${name}][count]`, 'true']],
        ...scalars.flatMap((scalar): Pairs[] => [
          [['sort', `${name}.${scalar.name}:${random.pick(['asc', 'desc'])}`]],
          [[`filters[${name}][${scalar.name}][$null]`, 'true']],
          [[`filters[${name}][${scalar.name}][$gte]`, values.of(random, scalar.name)]],
          [[`populate[${name}][sort]`, scalar.name]],
        ]),
      ];
    });
  }

  /** One filter or sort alone, so that nothing else narrows the answer down. */
  function plain(type: ContentType): Pairs {
    if (chance(3)) return sort(type, 'sort');
    const names = path(type, 3).split('.');
    return test(`filters${brackets(names)}`, names.at(-1) ?? '');
  }

  /** A whole query string's pairs. */
  function query(type: ContentType): Pairs {
    if (chance(4)) return direct(type);
    if (chance(3)) return plain(type);
    const parts: Pairs[] = [];
    if (!chance(3)) parts.push(filters(type, 'filters', 4));
    if (chance(3)) parts.push(sort(type, 'sort'));
    if (!chance(3)) parts.push(populate(type, 'populate', 3));
    if (chance(5)) parts.push(fields(type, 'fields'));
    if (chance(5)) parts.push(search());
    if (chance(4)) parts.push(page());
    if (chance(3)) parts.push(mode());
    if (type.history && chance(3)) parts.push([['at', values.of(random, 'moment')]]);
    return parts.flat();
  }

  const OPERATORS_3 = [
    '',
    '_eq',
    '_ne',
    '_lt',
    '_gt',
    '_lte',
    '_gte',
    '_in',
    '_nin',
    '_contains',
    '_ncontains',
    '_containss',
    '_null',
  ];

  /** The same in Strapi 3's language. */
  function query3(type: ContentType): Pairs {
    const pairs: Pairs = [];
    const named = (): [string, string] => {
      const steps = path(type, 3);
      const operator = random.pick(OPERATORS_3);
      const value = operator === '_null' ? flag() : values.of(random, steps.split('.').at(-1) ?? '');
      return [`${steps}${operator}`, value];
    };
    for (let left = random.below(3); left > 0; left--) {
      const [key, value] = named();
      pairs.push([
        random.pick([key, key, `_where[${key}]`, `_where[0][${key}]`, `_where[_or][0][0][${key}]`]),
        value,
      ]);
    }
    if (chance(3))
      pairs.push([
        '_sort',
        `${chance(4) ? path(type, 2) : attributeOf(type, isScalar).name}:${random.pick(['ASC', 'DESC'])}`,
      ]);
    if (chance(4)) pairs.push(['_limit', random.pick(['-1', '2', '4'])]);
    if (chance(5)) pairs.push(['_start', String(random.below(4))]);
    if (chance(6)) pairs.push(['_q', values.of(random, 'title')]);
    if (chance(4)) pairs.push(['_locale', random.pick(['fr', 'en', 'all'])]);
    if (chance(6)) pairs.push(['_publicationState', random.pick(['preview', 'live'])]);
    return pairs;
  }

  return { query, query3, certain, chance };
}
