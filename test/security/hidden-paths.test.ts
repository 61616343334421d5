/**
 * CVE-2023-22894, CVE-2023-34235, CVE-2022-30617, CVE-2022-30618, CVE-2023-36472, CVE-2023-37263 (Strapi), CVE-2023-30843 (Payload):
 * what a caller may not see was found out by filters, sorts and populates that named it. Here every path through the schema to a
 * private value, a password or a type that is not granted is tried in every place of a query: it is refused, or the plan that
 * is run holds nothing of it, so that neither rows nor their number, order or timing can tell.
 */
import { expect } from 'chai';
import { compileGrants } from '../../src/access/grants.js';
import { ApiError } from '../../src/errors.js';
import type { Condition, ReadPlan, Selection, SortKey } from '../../src/query/read-plan.js';
import type { Attribute, Model } from '../../src/schema/types.js';
import { planOf } from '../support/corpus/plan.js';
import { corpusSchema as schema } from '../support/corpus/schema.js';

const OPEN = ['restaurant', 'category', 'article', 'review', 'homepage', 'about'];
const grants = compileGrants(
  OPEN.flatMap((name) => [`api::${name}.${name}.find`, `api::${name}.${name}.findOne`]),
);
const caller = { grants, anonymous: true };

interface Path {
  readonly names: readonly string[];
  readonly hidden: boolean;
}

const modelAt = (uid: string | null): Model | undefined =>
  uid === null ? undefined : (schema.contentTypes.get(uid) ?? schema.components.get(uid));

const nextOf = (attribute: Attribute): Model | undefined => {
  if (attribute.kind === 'relation') return modelAt(attribute.target);
  if (attribute.kind === 'media') return modelAt('plugin::upload.file');
  return attribute.kind === 'component' ? modelAt(attribute.component) : undefined;
};

const isHidden = (attribute: Attribute): boolean => {
  if (attribute.private) return true;
  if (attribute.kind === 'scalar') return attribute.type === 'password';
  return (
    attribute.kind === 'relation' && attribute.target !== null && !grants.allows(`${attribute.target}.find`)
  );
};

/** Every path of at most so many steps from a model to a scalar. */
const pathsFrom = (model: Model, steps: number, hidden = false): Path[] =>
  [...model.attributes.values()].flatMap((attribute): Path[] => {
    const closed = hidden || isHidden(attribute);
    if (attribute.kind === 'scalar') return [{ names: [attribute.name], hidden: closed }];
    const next = steps > 1 ? nextOf(attribute) : undefined;
    if (!next) return [];
    return pathsFrom(next, steps - 1, closed).map((path) => ({
      ...path,
      names: [attribute.name, ...path.names],
    }));
  });

const brackets = (names: readonly string[]): string => names.map((name) => `[${name}]`).join('');

/** The places of a query that can name a path. */
const queriesFor = (names: readonly string[]): string[] => {
  const [first = '', ...rest] = names;
  const leaf = names.at(-1) ?? '';
  const inside = names.slice(0, -1);
  const populate = `populate${inside.map((name) => `[${name}]`).join('[populate]')}`;
  return [
    ...['$notNull', '$startsWith', '$eq', '$ne'].map(
      (operator) => `filters${brackets(names)}[${operator}]=a`,
    ),
    `filters[$not]${brackets(names)}[$null]=true`,
    `filters[$or][0]${brackets(names)}=a`,
    `sort=${names.join('.')}`,
    `sort=name&sort${brackets(names)}=desc`,
    `fields=${leaf}&populate=${names.join('.')}`,
    `fields=${names.join('.')}`,
    ...(inside.length === 0 ? [`fields[0]=${leaf}`] : []),
    ...(inside.length === 0
      ? []
      : [
          `populate=${inside.join('.')}`,
          `${populate}=true`,
          `${populate}[fields]=${leaf}`,
          `${populate}[filters][${leaf}][$startsWith]=a`,
          `${populate}[sort]=${leaf}`,
          `populate[${first}][filters]${brackets(rest)}[$notNull]=true`,
          `populate[${first}][sort]=${rest.join('.')}`,
          `${populate}[count]=true`,
        ]),
  ];
};

/** The attributes that a plan touches in any way. */
function* touched(plan: ReadPlan): Generator<Attribute> {
  yield* inCondition(plan.filter);
  for (const key of plan.sort) yield* inSort(key);
  yield* inSelection(plan.selection);
}

function* inCondition(condition: Condition): Generator<Attribute> {
  if (condition.kind === 'and' || condition.kind === 'or')
    for (const part of condition.of) yield* inCondition(part);
  if (condition.kind === 'test') yield condition.attribute;
  if (condition.kind !== 'some') return;
  yield condition.via.attribute;
  yield* inCondition(condition.where);
}

function* inSort(key: SortKey): Generator<Attribute> {
  for (const { attribute } of key.via) yield attribute;
  yield key.attribute;
}

function* inSelection(selection: Selection): Generator<Attribute> {
  yield* selection.scalars;
  for (const { attribute, selection: inner } of selection.components) {
    yield attribute;
    yield* inSelection(inner);
  }
  for (const { attribute, on } of selection.zones) {
    yield attribute;
    for (const inner of on.values()) yield* inSelection(inner);
  }
  for (const { attribute, targets } of selection.relations) {
    yield attribute;
    for (const target of targets) {
      yield* inCondition(target.filter);
      for (const key of target.sort ?? []) yield* inSort(key);
      yield* inSelection(target.selection);
    }
  }
}

const planned = (name: string, query: string): ReadPlan | null => {
  try {
    return planOf(query, { type: name, caller });
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return null;
    throw error;
  }
};

describe('security: hidden paths', () => {
  for (const name of OPEN) {
    const uid = `api::${name}.${name}`;
    const type = schema.contentTypes.get(uid);
    if (!type) throw new Error(uid);
    const paths = pathsFrom(type, 3);
    const hidden = paths.filter((path) => path.hidden);

    it(`${name}: ${hidden.length} hidden paths are refused, or the plan holds nothing of them`, () => {
      expect(hidden.length).to.be.above(0);
      for (const { names } of hidden)
        for (const query of queriesFor(names)) {
          const plan = planned(name, query);
          if (!plan) continue;
          const leaked = [...touched(plan)].filter(isHidden).map((attribute) => attribute.name);
          expect(leaked, query).to.deep.equal([]);
        }
    });

    it(`${name}: a filter and a sort by a hidden path are a 400, not an empty answer`, () => {
      for (const { names } of hidden) {
        expect(planned(name, `filters${brackets(names)}[$notNull]=true`), names.join('.')).to.equal(null);
        expect(planned(name, `sort=${names.join('.')}`), names.join('.')).to.equal(null);
      }
    });

    it(`${name}: populating everything, and searching, touches nothing hidden`, () => {
      for (const query of ['populate=*', '_q=a', 'fields=*', 'populate[localizations][populate]=*']) {
        const plan = planned(name, query);
        expect([...(plan ? touched(plan) : [])].filter(isHidden), query).to.deep.equal([]);
      }
    });

    it(`${name}: what may be seen can be asked for`, () => {
      const open = paths.filter((path) => !path.hidden && path.names.length === 1);
      for (const { names } of open) expect(planned(name, `fields=${names[0]}`), names[0]).to.not.equal(null);
    });
  }
});
