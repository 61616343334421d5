import { expect } from 'chai';
import { makeConfig } from '../../src/config/load.js';
import { describeContract } from '../../src/describe/contract/contract.js';
import { breaksBetween } from '../../src/describe/openapi/compare.js';
import { type OpenApiDocument, toOpenApi } from '../../src/describe/openapi/document.js';
import { contractParts } from '../../src/http/contract-parts.js';
import { allRoutes } from '../../src/http/routes/all.js';
import { NO_DEFINITION } from '../../src/project-code/types.js';
import { NO_CODE } from '../../src/strapi/open.js';
import { type Attributes, schemaOf, typeFile } from '../support/schemas.js';

const config = makeConfig('/project');

const documentOf = (attributes: Attributes, names = ['thing']): OpenApiDocument => {
  const schema = schemaOf(...names.map((name) => typeFile(name, attributes)));
  const parts = {
    config,
    schema,
    code: NO_CODE,
    own: { definition: NO_DEFINITION },
  };
  return toOpenApi(describeContract(contractParts(parts, allRoutes(parts))), { title: 'API' });
};

const base: Attributes = {
  title: { type: 'string', required: true, maxLength: 50 },
  kind: { type: 'enumeration', enum: ['a', 'b'] },
  count: { type: 'integer' },
};

const breaks = (attributes: Attributes): string[] =>
  breaksBetween(documentOf(base), documentOf(attributes)).map(({ place, what }) => `${place} ${what}`);

describe('mangrove openapi diff', () => {
  it('reports nothing if nothing changes', () => {
    expect(breaks(base)).to.deep.equal([]);
  });

  it('reports nothing for additions', () => {
    expect(breaks({ ...base, more: { type: 'string' }, tags: { type: 'json' } })).to.deep.equal([]);
    const more = breaksBetween(documentOf(base), documentOf(base, ['thing', 'other']));
    expect(more).to.deep.equal([]);
  });

  it('reports removed routes', () => {
    const gone = breaksBetween(documentOf(base, ['thing', 'other']), documentOf(base));
    expect(gone.map(({ place, what }) => `${place} ${what}`)).to.include.members([
      'GET /api/others no longer exists',
      'DELETE /api/others/{documentId} no longer exists',
    ]);
  });

  it('reports a removed or renamed property, in responses, bodies and queries', () => {
    const { count, ...rest } = base;
    const found = breaks({ ...rest, number: count ?? {} });
    expect(
      found.some((one) => /^GET .* 200.data.*\.count no longer exists$/.test(one)),
      found.join('\n'),
    ).to.equal(true);
    expect(found).to.include('POST /api/things body.data.count is no longer accepted');
    expect(found.some((one) => /filters.*\.count is no longer accepted$/.test(one))).to.equal(true);
  });

  it('reports what became required or narrower', () => {
    expect(breaks({ ...base, count: { type: 'integer', required: true } })).to.include(
      'POST /api/things body.data.count is now required',
    );
    expect(breaks({ ...base, title: { type: 'string', required: true, maxLength: 20 } })).to.include(
      'POST /api/things body.data.title maxLength is now 20',
    );
    expect(breaks({ ...base, kind: { type: 'enumeration', enum: ['a'] } })).to.include(
      'POST /api/things body.data.kind no longer accepts b',
    );
    expect(breaks({ ...base, count: { type: 'string' } })).to.include(
      'POST /api/things body.data.count no longer accepts integer',
    );
  });

  it('reports new kinds of responses', () => {
    const found = breaks({ ...base, kind: { type: 'enumeration', enum: ['a', 'b', 'c'] } });
    expect(
      found.some((one) => /200.*\.kind may now be c$/.test(one)),
      found.join('\n'),
    ).to.equal(true);
    expect(found.filter((one) => one.includes(' body'))).to.deep.equal([]);
  });
});
