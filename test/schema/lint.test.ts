import { expect } from 'chai';
import { messageOf } from '../../src/events/events.js';
import { lintFiles } from '../../src/schema/files/lint.js';
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

describe('schema/advise', () => {
  for (const [name, attribute, advised] of cases)
    it(`${name} ${JSON.stringify(attribute)}: ${advised ?? 'no advice'}`, () => {
      const advice = lintFiles([componentFile('c.c', { [name]: attribute })]);
      expect(advice.map(messageOf)).to.eql(
        advised === null ? [] : [`components/c/c.json › attributes.${name}: ${advised}`],
      );
    });

  it('names custom fields of unknown plugins, and extensions of types that do not exist', () => {
    const map = { map: { type: 'customField', customField: 'global::map' } };
    const advice = lintFiles([
      typeFile('a', map),
      { ...typeFile('c', {}), kind: 'extension', uid: 'plugin::navigation.audience' },
    ]);
    expect(advice.map(({ name }) => name)).to.eql(['custom-field-unknown', 'type-left-out']);
    expect(lintFiles([typeFile('a', map)], { 'global::map': 'string' })).to.eql([]);
  });

  it('reports content types that Strapi rejects', () => {
    expect(lintFiles([typeFile('document', {})])).to.have.length(1);
    expect(lintFiles([typeFile('article', {})])).to.eql([]);
  });
});
