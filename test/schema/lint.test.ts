import { expect } from 'chai';
import { messageOf } from '../../src/events/events.js';
import { lintFiles } from '../../src/schema/files/lint.js';
import type { SchemaFile } from '../../src/schema/files/read.js';
import { tolerateStrapiQuirks } from '../../src/schema/files/tolerate-strapi-quirks.js';
import { componentFile, typeFile } from '../support/schemas.js';

const cases: readonly (readonly [name: string, attribute: object, advised: string | null])[] = [
  [
    'title',
    { type: 'string', requierd: true },
    '"requierd" is not an option of type string; did you mean "required"?',
  ],
  ['title', { type: 'string', repeatable: true }, '"repeatable" is not an option of type string'],
  ['title', { type: 'string', column: { unique: true }, configurable: false, visible: true }, null],
  ['title', { type: 'string', unique: true }, null],
  [
    'state',
    { type: 'enumeration', enum: ['a'], unique: true },
    'values of type enumeration may be equal, whatever "unique" says',
  ],
  ['place', { type: 'customField', customField: 'plugin::color-picker.color', options: { a: 3 } }, null],
  ['meta', { type: 'json' }, "Strapi's content-type builder does not allow this name"],
  ['strapiThing', { type: 'json' }, "Strapi's content-type builder does not allow this name"],
];

const attributesOf = (file: SchemaFile | undefined): Readonly<Record<string, object>> =>
  (file?.content as { attributes: Readonly<Record<string, object>> } | undefined)?.attributes ?? {};

describe('schema/advise', () => {
  for (const [name, attribute, advised] of cases)
    it(`${name} ${JSON.stringify(attribute)}: ${advised ?? 'no advice'}`, () => {
      const advice = lintFiles([componentFile('c.c', { [name]: attribute })]);
      expect(advice.map(messageOf)).to.eql(
        advised === null ? [] : [`components/c/c.json › attributes.${name}: ${advised}`],
      );
    });

  const relation = (target: string, more: object = {}): object => ({
    type: 'relation',
    relation: 'oneToMany',
    target,
    ...more,
  });
  const used: readonly (readonly [name: string, attribute: object, becomes: object | undefined])[] = [
    ['map', { type: 'customField', customField: 'global::map' }, { type: 'json' }],
    ['releases', relation('plugin::content-releases.release'), undefined],
    ['roles', relation('admin::role'), undefined],
    ['files', relation('api::a.a', { mappedBy: 'gone' }), relation('api::a.a')],
  ];
  for (const [name, attribute, becomes] of used)
    it(`${name} is adapted, with a warning`, () => {
      const { files, warnings } = tolerateStrapiQuirks([typeFile('a', { [name]: attribute })]);
      const attributes = attributesOf(files[0]);
      expect(warnings).to.have.length(1);
      expect(warnings.map(messageOf)[0]).to.match(new RegExp(`^a/schema.json › attributes.${name}: `));
      if (becomes) expect(attributes[name]).to.include(becomes).and.not.have.property('mappedBy');
      else expect(attributes).to.eql({});
    });

  it('does not turn two owners into one relation, and omits extensions of unknown plugins', () => {
    const { files, warnings } = tolerateStrapiQuirks([
      typeFile('a', { b: relation('api::b.b', { inversedBy: 'a' }) }),
      typeFile('b', { a: relation('api::a.a', { inversedBy: 'b' }) }),
      { ...typeFile('c', {}), kind: 'extension', uid: 'plugin::navigation.audience' },
    ]);
    expect(files.map(({ uid }) => uid)).to.eql(['api::a.a', 'api::b.b']);
    expect(JSON.stringify(files)).to.not.include('inversedBy');
    expect(warnings).to.have.length(3);
  });

  it('reports content types that Strapi rejects', () => {
    expect(lintFiles([typeFile('document', {})])).to.have.length(1);
    expect(lintFiles([typeFile('article', {})])).to.eql([]);
  });
});
