import { expect } from 'chai';
import { adviseFiles } from '../../src/schema/advise.js';
import { componentFile, typeFile } from '../support/schemas.js';

const cases: readonly (readonly [name: string, attribute: object, said: string | null])[] = [
  ['title', { type: 'string', requierd: true }, '"requierd" is no option of type string'],
  ['title', { type: 'string', repeatable: true }, '"repeatable" is no option of type string'],
  ['title', { type: 'string', column: { unique: true }, configurable: false, visible: true }, null],
  ['place', { type: 'customField', customField: 'global::map', options: { zoom: 3 } }, null],
  ['meta', { type: 'json' }, "Strapi's editor refuses this name"],
  ['strapiThing', { type: 'json' }, "Strapi's editor refuses this name"],
];

describe('schema/advise', () => {
  for (const [name, attribute, said] of cases)
    it(`${name} ${JSON.stringify(attribute)}: ${said ?? 'nothing to say'}`, () => {
      const advice = adviseFiles([componentFile('c.c', { [name]: attribute })]);
      expect(advice).to.eql(said === null ? [] : [`components/c/c.json › attributes.${name}: ${said}`]);
    });

  it('names content types that Strapi refuses', () => {
    expect(adviseFiles([typeFile('document', {})])).to.have.length(1);
    expect(adviseFiles([typeFile('article', {})])).to.eql([]);
  });
});
