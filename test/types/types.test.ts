import { expect } from 'chai';
import ts from 'typescript';
import { describeTypes } from '../../src/describe/types.js';
import { componentFile, fixtureSchema, schemaOf, typeFile } from '../support/schemas.js';

const schema = schemaOf(
  typeFile(
    'blog-post',
    {
      title: { type: 'string', required: true },
      kind: { type: 'enumeration', enum: ['news', 'essay'] },
      views: { type: 'biginteger' },
      day: { type: 'date' },
      hidden: { type: 'string', private: true },
      seo: { type: 'component', component: 'shared.seo' },
      zone: { type: 'dynamiczone', components: ['shared.seo'] },
      cover: { type: 'media' },
      next: { type: 'relation', relation: 'oneToOne', target: 'api::blog-post.blog-post' },
      others: { type: 'relation', relation: 'oneToMany', target: 'api::blog-post.blog-post' },
    },
    { localized: true },
  ),
  componentFile('shared.seo', { title: { type: 'string' } }),
);
const text = describeTypes(schema);
const bodyOf = (name: string): string =>
  new RegExp(`export interface ${name} \\{\\n([^]*?)\\n\\}`).exec(text)?.[1] ?? '';

describe('describe/types', () => {
  const members: readonly (readonly [of: string, member: string])[] = [
    ['BlogPost', 'id: number;'],
    ['BlogPost', 'title: string;'],
    ['BlogPost', 'kind: "news" | "essay" | null;'],
    ['BlogPost', 'views: string | null;'],
    ['BlogPost', 'hidden?: string | null;'],
    ['BlogPost', 'seo?: SharedSeo | null;'],
    ['BlogPost', 'zone?: ({ __component: "shared.seo" } & SharedSeo)[];'],
    ['BlogPost', 'cover?: UploadFile | null;'],
    ['BlogPost', 'next?: BlogPost | null;'],
    ['BlogPost', 'others?: BlogPost[];'],
    ['BlogPost', 'localizations?: BlogPost[];'],
    ['BlogPost', 'locale: string | null;'],
    ['BlogPostInput', 'title?: string | null;'],
    ['BlogPostInput', 'hidden?: string | null;'],
    ['BlogPostInput', 'views?: string | number | bigint | null;'],
    ['BlogPostInput', 'others?: RelationInput;'],
    ['BlogPostInput', 'seo?: SharedSeoInput | null;'],
    ['SharedSeo', 'id?: number;'],
  ];
  for (const [name, member] of members)
    it(`${name} has ${member}`, () => {
      expect(bodyOf(name).split('\n')).to.include(`  ${member}`);
    });

  it('does not contain private system attributes, for reading or writing', () => {
    expect(bodyOf('BlogPost')).not.to.include('createdBy');
    expect(bodyOf('BlogPostInput'))
      .not.to.include('createdAt')
      .and.not.to.match(/\blocale\b/);
  });

  it('declares the types that documents(uid) returns', () => {
    expect(text).to.include('"api::blog-post.blog-post": BlogPostTypes;');
  });

  it('is valid TypeScript, for the fixture too', async () => {
    for (const one of [text, describeTypes(await fixtureSchema())]) {
      const { diagnostics = [] } = ts.transpileModule(one, { reportDiagnostics: true });
      expect(diagnostics.map(({ messageText }) => messageText)).to.eql([]);
      const names = [...one.matchAll(/export (?:interface|type) (\w+)/g)].map(([, name]) => name);
      expect(new Set(names).size).to.equal(names.length);
    }
  });
});
