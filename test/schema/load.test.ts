import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { SchemaError } from '../../src/schema/error.js';
import { byRoute, modelOf } from '../../src/schema/find.js';
import { loadSchema } from '../../src/schema/load.js';
import { componentFile, fixtureSchema, typeFile } from '../support/schemas.js';
import { writeFiles } from '../support/write-files.js';

describe('schema/load', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-schema-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const write = async (files: Readonly<Record<string, unknown>>): Promise<void> => {
    await writeFiles(folder, files);
  };
  const article = typeFile('article', { seo: { type: 'component', component: 'shared.seo' } }).content;
  const seo = componentFile('shared.seo', { title: { type: 'string' } }).content;

  const layouts: Readonly<Record<string, readonly [type: string, component: string]>> = {
    'a Mangrove project': ['content-types/article/schema.json', 'content-types/components/shared/seo.json'],
    'the content-types folder of one': ['article/schema.json', 'components/shared/seo.json'],
    'a Strapi project': [
      'src/api/article/content-types/article/schema.json',
      'src/components/shared/seo.json',
    ],
    'the src folder of one': ['api/article/content-types/article/schema.json', 'components/shared/seo.json'],
  };
  for (const [name, [type, component]] of Object.entries(layouts))
    it(`reads ${name}`, async () => {
      await write({ [type]: article, [component]: seo });
      const schema = await loadSchema({ folder });
      expect(schema.contentTypes.get('api::article.article')?.file).to.equal(type);
      expect(modelOf(schema, 'shared.seo')?.file).to.equal(component);
      expect([...schema.components.keys()]).to.eql(['shared.seo']);
    });

  it('takes the API name of a Strapi type from its folder', async () => {
    await write({ 'api/blog/content-types/article/schema.json': article, 'components/shared/seo.json': seo });
    expect((await loadSchema({ folder })).contentTypes.get('api::blog.article')?.singularName).to.equal(
      'article',
    );
  });

  it('takes the uid of a Strapi component in lower case', async () => {
    await write({
      'api/article/content-types/article/schema.json': article,
      'components/Shared/Seo.json': seo,
    });
    expect([...(await loadSchema({ folder })).components.keys()]).to.eql(['shared.seo']);
  });

  it('reads schemas in JavaScript, with functions as defaults', async () => {
    await write({
      'package.json': { type: 'module' },
      'content-types/a/schema.js':
        'export default { info: { singularName: "a", pluralName: "as", displayName: "A" }, attributes: { day: { type: "date", default: () => "2024-01-01" } } };',
    });
    const day = (await loadSchema({ folder })).contentTypes.get('api::a.a')?.attributes.get('day');
    expect(day).to.have.property('default').that.is.a('function');
  });

  it('sets createdAt of a component itself, as Strapi does: nobody has to send it', async () => {
    const stamped = componentFile('shared.seo', { createdAt: { type: 'datetime', required: true } }).content;
    await write({
      'api/article/content-types/article/schema.json': article,
      'components/shared/seo.json': stamped,
    });
    const createdAt = (await loadSchema({ folder })).components
      .get('shared.seo')
      ?.attributes.get('createdAt');
    expect(createdAt).to.have.property('required', false);
    expect(createdAt).to.have.property('default').that.is.a('function');
  });

  it('adds the attributes of an extension to its type', async () => {
    await write({
      'article/schema.json': article,
      'components/shared/seo.json': seo,
      'extensions/users-permissions/content-types/user/schema.json': {
        attributes: { nickname: { type: 'string' } },
      },
    });
    const user = (await loadSchema({ folder })).contentTypes.get('plugin::users-permissions.user');
    expect([...(user?.attributes.keys() ?? [])]).to.include.members(['username', 'nickname']);
  });

  it('passes over a folder of an extension that has code but no schema', async () => {
    await write({
      'api/article/content-types/article/schema.json': typeFile('article', {}).content,
      'extensions/users-permissions/content-types/user/lifecycles.js': 'module.exports = {};',
    });
    expect((await loadSchema({ folder })).contentTypes.has('api::article.article')).to.equal(true);
  });

  it('reports every file that cannot be read', async () => {
    await write({ 'a/schema.json': '{', 'b/other.json': {}, 'components/c/d.json': 'nope' });
    const error = await loadSchema({ folder }).catch((e: unknown) => e);
    expect(error).to.be.instanceOf(SchemaError);
    expect((error as SchemaError).problems.map(({ file }) => file)).to.eql([
      'a/schema.json',
      'b/schema',
      'components/c/d.json',
    ]);
  });

  it('reports a folder that is not a project in one line', async () => {
    await write({ 'docs/readme.json': {}, 'lib/x/y.json': {} });
    const error = await loadSchema({ folder }).catch((e: unknown) => e);
    expect((error as SchemaError).problems).to.have.length(1);
  });

  it('reports a missing folder', async () => {
    const error = await loadSchema({ folder: join(folder, 'none') }).catch((e: unknown) => e);
    expect(error).to.be.instanceOf(SchemaError);
  });

  it('makes attributes private that the project’s privateAttributes list, in every type', async () => {
    await write({ 'article/schema.json': article, 'components/shared/seo.json': seo });
    const schema = await loadSchema({ folder, privateAttributes: ['title', 'createdAt'] });
    expect(modelOf(schema, 'shared.seo')?.attributes.get('title')?.private).to.equal(true);
    expect(modelOf(schema, 'api::article.article')?.attributes.get('createdAt')?.private).to.equal(true);
  });

  it('changes the version when an attribute changes, and only then', async () => {
    await write({ 'article/schema.json': article, 'components/shared/seo.json': seo });
    const [one, two] = [await loadSchema({ folder }), await loadSchema({ folder })];
    await write({
      'components/shared/seo.json': componentFile('shared.seo', { title: { type: 'text' } }).content,
    });
    expect(two.version).to.equal(one.version);
    expect((await loadSchema({ folder })).version).not.to.equal(one.version);
  });

  it('reads the conformance fixture, and finds its types by their paths', async () => {
    const schema = await fixtureSchema();
    const own = [...schema.contentTypes.values()].filter(({ origin }) => origin === 'api');
    expect(own).to.have.length(11);
    expect(schema.components.size).to.equal(10);
    expect(byRoute(schema, 'people')?.uid).to.equal('api::person.person');
    expect(byRoute(schema, 'homepage')?.uid).to.equal('api::homepage.homepage');
    for (const name of ['homepages', 'person', 'files', 'toString'])
      expect(byRoute(schema, name)).to.equal(undefined);
  });

  it('returns a frozen schema', async () => {
    const schema = await fixtureSchema();
    const type = schema.contentTypes.get('api::restaurant.restaurant');
    const change = (act: (target: never) => void, target: unknown) => () => act(target as never);
    for (const [act, target] of [
      [(map: Map<string, unknown>) => map.set('x', 1), schema.contentTypes],
      [(map: Map<string, unknown>) => map.clear(), type?.attributes],
      [(it: { name: string }) => (it.name = 'x'), type?.attributes.get('name')],
      [(it: { enum: string[] }) => it.enum.push('x'), type?.attributes.get('cuisine')],
    ] as const)
      expect(change(act as (target: never) => void, target)).to.throw(TypeError);
  });
});
