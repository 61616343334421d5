/**
 * query/check: every key exists and may be used by the caller, or a 400 names it with its path (rules A.7, A.12, A.13,
 * B.9, C.2).
 */
import { expect } from 'chai';
import { ApiError } from '../../src/errors.js';
import { checkQuery } from '../../src/query/check.js';
import { parseQuery, parseQueryText } from '../../src/query/parse.js';
import type { Caller } from '../../src/query/read-plan.js';
import { querySettings } from '../../src/query/settings.js';
import { corpusConfig } from '../support/corpus/query.js';
import { corpusSchema, typeNamed } from '../support/corpus/schema.js';

const everyone: Caller = { grants: { version: 'all', allows: () => true } };
const nobody: Caller = { grants: { version: 'none', allows: () => false } };
const script: Caller = { grants: null };
const type = typeNamed('restaurant');

/** The refusal of a query string; null if it is allowed. */
const refusalOf = (text: string, caller = everyone, strictParams = false) => {
  const settings = { ...querySettings(corpusConfig, 'rest'), strictParams };
  try {
    checkQuery(parseQuery(parseQueryText(text), 'rest'), type, { schema: corpusSchema, caller, settings });
    return null;
  } catch (error) {
    if (error instanceof ApiError) return { message: error.message, ...error.details };
    throw error;
  }
};

describe('query/check', () => {
  const refused: readonly (readonly [text: string, key: string, path: string | null, param: string])[] = [
    ['filters[nope]=1', 'nope', null, 'filters'],
    ['filters[owner][nope]=1', 'nope', 'owner', 'filters'],
    ['filters[$or][0][nope]=1', 'nope', null, 'filters'],
    ['filters[name][$nope]=1', '$nope', 'name', 'filters'],
    ['filters[name][x]=1', 'x', 'name', 'filters'],
    ['filters[id][$nope]=1', '$nope', null, 'filters'],
    ['filters[owner][documentId][x]=1', 'x', 'owner', 'filters'],
    ['filters[secret]=1', 'secret', 'secret', 'filters'],
    ['filters[createdBy][id]=1', 'createdBy', 'createdBy', 'filters'],
    ['sort=nope', 'nope', null, 'sort'],
    ['sort=owner', 'owner', 'owner', 'sort'],
    ['sort=owner.nope', 'nope', 'owner', 'sort'],
    ['sort[name][x]=asc', 'x', 'name', 'sort'],
    ['fields=nope', 'nope', null, 'fields'],
    ['fields=owner', 'owner', 'owner', 'fields'],
    ['populate=nope', 'nope', 'nope', 'populate'],
    ['populate=owner.nope', 'nope', 'owner.nope', 'populate'],
    ['populate[owner][limit]=1', 'limit', 'owner', 'populate'],
    ['populate[owner][fields]=nope', 'nope', null, 'fields'],
    ['populate[owner][populate][nope]=1', 'nope', 'owner', 'populate'],
  ];
  for (const [text, key, path, param] of refused)
    it(`refuses ${text}: key ${key}, path ${path}`, () => {
      const { message, ...details } = refusalOf(text) ?? {};
      expect(message).equal(`Invalid key ${key}${path === null || path === key ? '' : ` at ${path}`}`);
      if (!text.includes('[fields]')) expect(details).deep.include({ key, path, source: 'query', param });
    });

  const allowed = [
    'filters[name]=a&sort=owner.lastName:desc,name&fields=name,stars&populate=owner.bestFriend,cover',
    'filters[$not][owner][lastName][$contains]=x',
    'populate=*',
    'populate[blocks][on][blocks.hero][fields]=title',
    'populate[filters]=1&nope=1',
    'sort=&populate=',
  ];
  for (const text of allowed)
    it(`allows ${text}`, () => {
      expect(refusalOf(text)).equal(null);
    });

  it('what the caller may not read is an error in filters and sort, and omitted from populate', () => {
    expect(refusalOf('filters[owner][id]=1', nobody)?.message).include('Invalid key owner');
    expect(refusalOf('sort=owner.id', nobody)?.message).include('Invalid key owner');
    expect(refusalOf('populate=owner', nobody)).equal(null);
    expect(refusalOf('filters[owner][id]=1', script)).equal(null);
  });

  it('reports filters before sort, sort before fields, fields before populate', () => {
    const parts = ['filters[f]=1', 'sort=s', 'fields=g', 'populate=p'];
    for (const [at, key] of ['f', 's', 'g', 'p'].entries())
      expect(refusalOf(parts.slice(at).reverse().join('&'))?.message).equal(`Invalid key ${key}`);
  });

  it('reports the options of a populate in their order', () => {
    const parts = ['filters[f]=1', 'sort=s', 'fields=g', 'populate[p]=1', 'limit=1'];
    const options = parts.map((part) => part.replace(/^(\w+)/, 'populate[owner][$1]'));
    for (const [at, key] of ['f', 's', 'g', 'p', 'limit'].entries())
      expect(refusalOf([...options.slice(at), ...options.slice(0, at)].join('&'))).deep.include({ key });
  });

  it('rejects unknown root parameters if the settings are strict', () => {
    expect(refusalOf('nope=1', everyone, true)).deep.include({ message: 'Invalid key nope', param: 'nope' });
    expect(refusalOf('sort=name&locale=en&status=draft&_q=x', everyone, true)).equal(null);
    expect(refusalOf('lookup=1')?.message).equal("Invalid params: 'lookup'");
  });
});
