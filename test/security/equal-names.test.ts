/**
 * A name may be public in one place and private in another: in the components of a zone, in the targets of a
 * polymorphic relation, in components within components. Wherever it is used, it is resolved to the attribute of that
 * place, for this caller.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { compileGrants } from '../../src/access/identity/grants.js';
import { ApiError } from '../../src/errors.js';
import { checkQuery } from '../../src/query/check.js';
import { parseQuery, parseQueryText } from '../../src/query/parse.js';
import { planRead } from '../../src/query/plan.js';
import type { ReadPlan } from '../../src/query/read-plan.js';
import { querySettings } from '../../src/query/settings.js';
import type { Attribute, ContentType } from '../../src/schema/types.js';
import { brackets, hiddenFrom } from '../support/attribute-paths.js';
import { corpusConfig } from '../support/corpus/query.js';
import { rounds } from '../support/rounds.js';
import { type Attributes, componentFile, schemaOf, typeFile } from '../support/schemas.js';
import { touched } from '../support/touched.js';

const toPage = { type: 'relation', relation: 'oneToOne', target: 'api::page.page' } as const;
const toPages = { type: 'relation', relation: 'oneToMany', target: 'api::page.page' } as const;
const file = {
  type: 'media',
  multiple: false,
  allowedTypes: ['images', 'files', 'videos', 'audios'],
} as const;
const closed = { private: true } as const;

/** The same names in two forms: what is public in one is private in the other. */
const twins = (open: boolean, inner: string): Attributes => {
  const one = open ? {} : closed;
  const other = open ? closed : {};
  return {
    text: { type: 'string', ...one },
    word: { type: 'string', ...other },
    extra: { type: 'component', component: inner, ...one },
    more: { type: 'component', repeatable: true, component: inner, ...other },
    page: { ...toPage, ...one },
    pages: { ...toPages, ...other },
    photo: { ...file, ...one },
    image: { ...file, ...other },
  };
};

const shared: Attributes = {
  zone: { type: 'dynamiczone', components: ['basic.a', 'basic.b'] },
  sealed: { type: 'dynamiczone', components: ['basic.a', 'basic.b'], ...closed },
  one: { type: 'component', component: 'basic.a' },
  list: { type: 'component', repeatable: true, component: 'basic.b' },
  about: { type: 'relation', relation: 'morphToMany' },
};

const schema = schemaOf(
  componentFile('deep.x', { text: { type: 'string' }, word: { type: 'string', ...closed }, page: toPage }),
  componentFile('deep.y', {
    text: { type: 'string', ...closed },
    word: { type: 'string' },
    page: { ...toPage, ...closed },
  }),
  componentFile('basic.a', twins(false, 'deep.x')),
  componentFile('basic.b', twins(true, 'deep.y')),
  typeFile('page', { ...shared, ...twins(true, 'deep.y') }, { localized: true, draftAndPublish: true }),
  typeFile('note', { ...shared, ...twins(false, 'deep.x') }, { localized: true }),
  typeFile('card', { ...shared, ...twins(false, 'deep.x') }, { draftAndPublish: true }),
);

const grants = compileGrants(['page', 'note', 'card'].map((name) => `api::${name}.${name}.find`));
const caller = { grants, anonymous: true };
const isHidden = hiddenFrom(grants);

const typeNamed = (uid: string): ContentType => {
  const type = schema.contentTypes.get(uid);
  if (!type) throw new Error(uid);
  return type;
};
const TYPES = [
  ...['page', 'note', 'card'].map((name) => typeNamed(`api::${name}.${name}`)),
  typeNamed('plugin::upload.file'),
];

/** The plan for an anonymous caller; null if the query is refused. */
const planned = (type: ContentType, query: string): ReadPlan | null => {
  try {
    const settings = querySettings(corpusConfig, 'rest');
    const node = parseQuery(parseQueryText(query, settings.limits), 'rest', settings.limits);
    const checked = checkQuery(node, type, { schema, caller, settings });
    return planRead(checked, type, { schema, caller, settings }, { target: 'list' });
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return null;
    throw error;
  }
};

const leaks = (plan: ReadPlan | null): string[] =>
  [...(plan ? touched(plan) : [])]
    .filter((attribute: Attribute) => isHidden(attribute))
    .map(({ name }) => name);

const NAMES = [
  'zone',
  'sealed',
  'one',
  'list',
  'about',
  'text',
  'word',
  'extra',
  'more',
  'page',
  'pages',
  'photo',
];
const OTHERS = ['image', 'related', 'localizations', 'id', 'documentId', 'createdBy'];
const UIDS = ['basic.a', 'basic.b', 'deep.x', 'deep.y', 'api::page.page', 'api::note.note', 'api::card.card'];

const name = fc.constantFrom(...NAMES, ...OTHERS);
const path = fc.array(name, { minLength: 1, maxLength: 5 });

/** Any parameter that can contain a name, at the root or behind a populate of any form. */
const parameter = (place: string): fc.Arbitrary<string> => {
  const at = (word: string): string => (place === '' ? word : `${place}[${word}]`);
  return fc.oneof(
    path.map((names) => `${at('populate')}=${names.join('.')}`),
    fc.constant(`${at('populate')}=*`),
    path.map((names) => `${at('fields')}=${names.at(-1)}`),
    path.map((names) => `${at('sort')}=${names.join('.')}`),
    path.map((names) => `${at('filters')}${brackets(names)}[$startsWith]=a`),
    path.map((names) => `${at('filters')}[$not]${brackets(names)}[$null]=true`),
    path.map((names) => `${at('populate')}${names.map((each) => `[${each}]`).join('[populate]')}=true`),
    path.map(
      (names) => `${at('populate')}${names.map((each) => `[${each}]`).join('[populate]')}[count]=true`,
    ),
  );
};
const within = fc
  .array(fc.tuple(name, fc.option(fc.constantFrom(...UIDS))), { minLength: 1, maxLength: 3 })
  .map((steps) =>
    steps
      .map(
        ([step, uid], at) =>
          `${at === 0 ? 'populate' : '[populate]'}[${step}]${uid === null ? '' : `[on][${uid}]`}`,
      )
      .join(''),
  );
/** Which types have locales, where types with and without them refer to each other. */
const locales = fc.constantFrom(
  'locale=fr',
  'locale=*',
  'locale[0]=en&locale[1]=fr',
  'locale[$ne]=fr',
  'locale[$startsWith]=e',
);
const query = fc.oneof(
  parameter(''),
  within.chain(parameter),
  fc.tuple(parameter(''), within.chain(parameter)).map((both) => both.join('&')),
  fc.tuple(locales, within.chain(parameter)).map((both) => both.join('&')),
  fc.tuple(locales, path).map(([locale, names]) => `${locale}&populate=localizations.${names.join('.')}`),
  fc.constantFrom(
    '_q=a',
    'populate=*',
    'fields=*',
    'locale=*&populate=*',
    'locale=fr&_q=a',
    'status=published',
  ),
);

const filesOf = (module: string): string[] =>
  readdirSync(`src/${module}`, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => `${module}/${path}`);

const RUNS = rounds(1500, 20_000);

describe('security: equal names', () => {
  it('MANGROVE-03: a path through a zone omits components whose attribute is private', () => {
    for (const end of ['extra', 'extra.page', 'page', 'photo', 'more', 'more.page', 'pages', 'image'])
      for (const uid of ['api::page.page', 'api::note.note']) {
        const plan = planned(typeNamed(uid), `populate=zone.${end}`);
        expect(leaks(plan), `${uid} ${end}`).to.deep.equal([]);
      }
  });

  it('MANGROVE-03: public attributes are still returned', () => {
    const zone = planned(typeNamed('api::page.page'), 'populate=zone.extra')?.selection.zones[0];
    expect([...(zone?.on ?? [])].map(([uid, { components }]) => [uid, components.length])).to.deep.equal([
      ['basic.a', 0],
      ['basic.b', 1],
    ]);
  });

  it('MANGROVE-03: a path that is private in every target is refused', () => {
    expect(planned(typeNamed('api::page.page'), 'populate=sealed')).to.equal(null);
    expect(planned(typeNamed('api::page.page'), 'populate=sealed.extra')).to.equal(null);
    expect(planned(typeNamed('api::note.note'), 'populate=one.extra')).to.equal(null);
  });

  it('MANGROVE-11: a file is related to an entry through its public attributes only', () => {
    for (const form of ['populate=related', 'populate=*', 'populate[related][on][api::note.note]=true']) {
      const plan = planned(typeNamed('plugin::upload.file'), form);
      const shown = plan?.selection.relations
        .flatMap(({ targets }) => targets)
        .map(({ target, shownIn }) => [target.singularName, ...(shownIn ?? []).map((each) => each.name)]);
      expect(shown?.length, form).to.be.above(0);
      for (const [type, ...names] of shown ?? [])
        expect(names, `${form} ${type}`).to.deep.equal(type === 'page' ? ['photo'] : ['image']);
    }
  });

  it('no query of any form touches anything hidden', function () {
    this.timeout(180_000);
    let plans = 0;
    fc.assert(
      fc.property(fc.constantFrom(...TYPES), query, (type, text) => {
        const plan = planned(type, text);
        if (plan) plans += 1;
        expect(leaks(plan), `${type.uid} ${text}`).to.deep.equal([]);
      }),
      { numRuns: RUNS },
    );
    expect(plans).to.be.above(RUNS / 10);
  });

  it('no other code turns a name in a query into an attribute', () => {
    const modules = ['query', 'pipeline', 'render', 'store', 'http', 'access', 'documents/read'];
    const found = modules
      .flatMap(filesOf)
      .filter((path) => /attributes\??\.(?:get|has)\(/.test(readFileSync(`src/${path}`, 'utf8')));
    expect(found).to.deep.equal(['query/attributes.ts']);
    // Nor do requested names bypass the caller: code that reads them does not use the form without one.
    const readers = [
      'query',
      'http/compat/v3-query.ts',
      'http/compat/v3-filters.ts',
      'http/compat/v3-names.ts',
      'http/compat/v4-query.ts',
      'http/compat/v4-populate.ts',
    ];
    const past = readers.flatMap((module) =>
      (module.endsWith('.ts') ? [module] : filesOf(module)).filter(
        (path) =>
          path !== 'query/attributes.ts' && readFileSync(`src/${path}`, 'utf8').includes('schemaAttribute'),
      ),
    );
    expect(past).to.deep.equal([]);
  });
});
