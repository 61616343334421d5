/** Attributes may have names in any language, and begin with `_`, as in Strapi. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { problemsIn } from '../../src/schema/check/problems.js';
import { type Serving, startServing } from '../../src/serve/index.js';
import { freeNames } from '../../src/transfer/source/free-names.js';
import { dropWhenDone, testDatabase } from '../strapi-code/support.js';
import { mangrove } from '../support/run-command.js';
import { writeFiles } from '../support/write-files.js';

const ACTIONS = ['find', 'findOne', 'create', 'update'].map((name) => `api::book.book.${name}`);

describe('names of attributes', function () {
  this.timeout(180_000);
  let root: string;
  let serving: Serving;

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-names-'));
    await writeFiles(root, {
      'content-types/book/schema.json': {
        kind: 'collectionType',
        collectionName: 'books',
        info: { singularName: 'book', pluralName: 'books', displayName: 'Book' },
        options: { draftAndPublish: true },
        attributes: {
          título: { type: 'string', required: true, unique: true },
          año: { type: 'integer' },
          書名: { type: 'string', private: true },
          größe: { type: 'component', component: 'teile.mass' },
          ähnliche: { type: 'relation', relation: 'manyToMany', target: 'api::book.book' },
          _código: { type: 'string', unique: true },
          _limit: { type: 'integer' },
          __strapiPart: { type: 'component', component: 'teile.mass', repeatable: true },
          _next: { type: 'relation', relation: 'manyToOne', target: 'api::book.book', inversedBy: '_all' },
          _all: { type: 'relation', relation: 'oneToMany', target: 'api::book.book', mappedBy: '_next' },
        },
      },
      'content-types/components/teile/mass.json': {
        attributes: { höhe: { type: 'decimal' }, _unit: { type: 'string' }, _strapiNote: { type: 'string' } },
      },
    });
    serving = await startServing({ root, overrides: testDatabase({ roles: { public: ACTIONS } }) });
  });
  after(async () => {
    await dropWhenDone(serving);
    await rm(root, { recursive: true, force: true });
  });
  const ask = async (path: string, body?: object) => {
    const response = await fetch(`http://127.0.0.1:${serving.port}/api/books${path}`, {
      ...(body && { method: 'POST', body: JSON.stringify({ data: body }) }),
      headers: { 'content-type': 'application/json' },
    });
    return { status: response.status, ...JSON.parse(await response.text()) };
  };

  it('may have letters of any language in writes, answers, filters, sorts, fields and populate', async () => {
    const first = await ask('', { título: 'uno', año: 2001, 書名: 'x', größe: { höhe: '1.5' } });
    expect([first.status, first.data.título, first.data.año, '書名' in first.data]).to.eql([
      201,
      'uno',
      2001,
      false,
    ]);
    const second = { título: 'dos', año: 2002, ähnliche: { connect: [first.data.documentId] } };
    expect((await ask('', second)).status).to.equal(201);
    expect((await ask('', { título: 'uno' })).error.details.errors[0].path).to.eql(['título']);
    expect((await ask('', { año: 1 })).error.message).to.match(/^título must be /);
    const found = await ask(
      '?filters[año][$gt]=2000&filters[ähnliche][título]=uno&sort=título:desc&fields=título,año&populate[ähnliche][populate]=größe',
    );
    const [book] = found.data;
    expect([book.título, book.año, book.ähnliche[0].título, book.ähnliche[0].größe.höhe]).to.eql([
      ...['dos', 2002, 'uno', 1.5],
    ]);
    expect((await ask('?sort=año&fields=año')).data.map((one: Record<string, unknown>) => one['año'])).to.eql(
      [2001, 2002],
    );
    expect((await ask('?filters[größe][höhe]=1.5')).data).to.have.length(1);
    expect((await ask('?filters[書名]=x')).error.message).to.equal('Invalid key 書名');
  });

  it('may begin with _ in writes, answers, filters, sorts, fields and populate', async () => {
    const first = await ask('?populate=*', {
      ...{ título: 'tres', _código: 'c-1', _limit: 3 },
      __strapiPart: [{ höhe: 1, _unit: 'cm', _strapiNote: 'kept' }],
    });
    const { _código, _limit, __strapiPart } = first.data;
    expect([first.status, _código, _limit]).to.eql([201, 'c-1', 3]);
    expect(__strapiPart).to.containSubset([{ höhe: 1, _unit: 'cm', _strapiNote: 'kept' }]);
    const { documentId } = first.data;
    expect((await ask('', { título: 'cuatro', _limit: 1, _next: documentId })).status).to.equal(201);
    expect((await ask('', { título: 'cinco', _código: 'c-1' })).error.details.errors[0].path).to.eql([
      '_código',
    ]);
    const titles = async (query: string) =>
      (await ask(`${query}&fields=título`)).data.map((one: Record<string, unknown>) => one['título']);
    expect(await titles('?filters[_limit][$notNull]=true&sort=_limit')).to.eql(['cuatro', 'tres']);
    expect(await titles('?filters[_next][_código]=c-1')).to.eql(['cuatro']);
    expect(await titles('?filters[__strapiPart][_unit]=cm&sort=_next._limit')).to.eql(['tres']);
    expect(await titles('?_q=c-1')).to.eql(['tres']);
    const { data } = await ask(`/${documentId}?fields=_limit&populate[_all][fields]=_limit`);
    expect([data._limit, data._all[0]._limit]).to.eql([3, 1]);
    expect((await ask('?filters[_other]=1')).error.message).to.equal('Invalid key _other');
  });

  it('are not those of what is stored beside attributes', () => {
    const named = (name: string) =>
      problemsIn(
        [
          {
            ...{ kind: 'component', uid: 'a.b', name: 'b', file: 'b.json' },
            content: { attributes: { [name]: { type: 'string' } } },
          },
        ],
        {},
      ).problems.map(({ expected }) => expected);
    for (const name of [
      '_id',
      '_rev',
      '_links',
      '_version',
      '_write',
      '_f1',
      '_s0_place',
      '__component',
      '__v',
    ])
      expect(named(name)).to.eql([`another name: "${name}" is reserved`]);
    for (const name of ['_foo', '_version2', '_links_', '_f', '__x', '_1']) expect(named(name)).to.eql([]);
    for (const name of ['_', '1a', '_-']) expect(named(name)[0]).to.match(/^an attribute name of letters/);
  });

  it('are kept by imports', () => {
    const given = ['título', '書名', 'ko\u0301', 'a-b', '1º', '_foo', '_rev', '__', '_a-b'];
    expect([...freeNames(given, [], 3)]).to.eql([
      ['a-b', 'a_b'],
      ['1º', 'º'],
      ['_rev', 'rev'],
      ['__', 'field'],
      ['_a-b', '_a_b'],
    ]);
  });

  it('are quoted in types where they are no identifiers, and stand in the description of the API', async () => {
    const { stdout } = await mangrove('--root', root, 'types');
    expect(stdout).to.match(/["']?título["']?\??: string/);
    const described = await mangrove('--root', root, 'openapi');
    expect(JSON.stringify(JSON.parse(described.stdout)))
      .to.include('"año"')
      .and.include('"höhe"');
  });
});
