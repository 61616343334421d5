import { expect } from 'chai';
import { refusalsOf } from '../../src/describe/contract/refusals.js';
import type { LocaleChoice } from '../../src/query/read-plan.js';
import { wrongLocale } from '../../src/query/wrong-locale.js';
import { line, planOf } from '../support/corpus/plan.js';

const one = (code: string): LocaleChoice => ({ kind: 'one', code });
const list = { type: 'article' };
const single = { type: 'article', target: 'one' } as const;

/** Rules G.9. */
const rows: readonly (readonly [string, typeof list | typeof single | object, LocaleChoice])[] = [
  ['', list, one('en')],
  ['locale=', list, one('en')],
  ['locale', list, one('en')],
  ['locale=fr', list, one('fr')],
  ['locale=*', list, { kind: 'any' }],
  ['locale[]=fr&locale[]=de', list, { kind: 'in', codes: ['fr', 'de'] }],
  ['locale[]=fr&locale[]=*', list, { kind: 'in', codes: ['fr', '*'] }],
  ['filters[locale]=fr', list, { kind: 'any' }],
  ['filters[title]=fr', list, one('en')],
  ['filters[locale]=fr&locale=de', list, one('de')],
  ['locale=*', single, one('*')],
  ['locale=fr', single, one('fr')],
  ['locale=fr', {}, { kind: 'none' }],
];

describe('query/plan/locale', () => {
  for (const [text, options, expected] of rows)
    it(`${text} ${JSON.stringify(options)}`, () => expect(planOf(text, options).locale).deep.equal(expected));

  it('a single entry has a single locale', () =>
    expect(() => planOf('locale[]=fr', single)).throw(
      'Invalid locale param fr provided. Document locales must be strings.',
    ));

  it('an operator requires values', () =>
    expect(() => planOf('locale[$in][0][x]=fr', list)).throw('Expected a value, not an object at locale'));
  it('the error is in the description of every query', () => {
    const { code } = wrongLocale('x');
    expect(refusalsOf(['query'])['400']).to.include(code);
  });
  for (const text of ['locale[x]=fr', 'locale[$or][0][title]=fr', 'locale[200]=fr'])
    it(`an object without operators is refused: ${text}`, () =>
      expect(() => planOf(text, list)).throw("Invalid parameter at 'locale'"));

  const tested: readonly (readonly [string, string])[] = [
    ['locale[$ne]=fr', 'locale not eq ["fr"]'],
    ['locale[$in][]=fr&locale[$in][]=de', 'locale in ["fr","de"]'],
    ['locale[$notNull]=true', 'locale not null'],
    ['locale[$startsWith]=f&filters[title]=x', '(title eq ["x"] & locale startsWith ["f"])'],
    ['locale[$not][$eq]=fr', 'locale not eq ["fr"]'],
  ];
  for (const [text, expected] of tested)
    it(`operators become a filter: ${text}`, () => {
      const { locale, filter } = planOf(text, list);
      expect(locale).deep.equal({ kind: 'any' });
      expect(line(filter)).equal(expected);
    });
  it('operators have no effect on types without locales', () =>
    expect(line(planOf('locale[$ne]=fr', {}).filter)).equal('always'));
  for (const text of ['locale[$in][]=fr', 'locale[0][x]=fr'])
    it(`operators are refused for a single entry: ${text}`, () =>
      expect(() => planOf(text, single)).throw('Invalid locale param [object Object] provided.'));

  const strict = { type: 'article', settings: { strictValues: true } };
  const format = 'Locale must be a valid BCP 47 format (e.g. en, en-US, zh-Hans).';
  const strictRows: readonly (readonly [string, string])[] = [
    ['locale=zz_ZZ', `Invalid parameter at 'locale'. ${format}`],
    ['locale[]=fr&locale[]=no!', `Invalid parameter at 'locale[1]'. ${format}`],
    [`locale=${'zz-'.repeat(12)}`, 'Locale exceeds maximum length of 35 characters.'],
    ['locale[x]=fr', 'or undefined; received: object'],
  ];
  for (const [text, message] of strictRows)
    it(`strict: ${text} is refused`, () => expect(() => planOf(text, strict)).throw(message));
  it('strict: an empty list counts as none', () =>
    expect(planOf('locale[]=', strict).locale).deep.equal(one('en')));
  it('strict: empty members are ignored', () =>
    expect(planOf('locale[]=&locale[]=fr', strict).locale).deep.equal({ kind: 'in', codes: ['fr'] }));
  it('strict: types without locales are checked too', () =>
    expect(() => planOf('locale=zz_ZZ', { ...strict, type: 'restaurant' })).throw(format));

  const target = (text: string, options: object) =>
    planOf(text, options).selection.relations[0]?.targets[0]?.locale;

  it('populated entries have the locale of their parent', () =>
    expect(target('populate=related&locale=fr', list)).deep.equal(one('fr')));
  it('including when it is known only from the parent', () =>
    expect(target('populate=related&locale=*', list)).deep.equal({ kind: 'parent' }));
  it('populated types without locales have none', () =>
    expect(target('populate=author&locale=fr', list)).deep.equal({ kind: 'none' }));
  it('localizations may be of any locale', () =>
    expect(target('populate=localizations&locale=fr', list)).deep.equal({ kind: 'any' }));
});
