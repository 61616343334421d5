/**
 * Everything that answers requests is known to the test of non-interference (`test/support/non-interference`), which
 * asks all routes of the tables. What answers beside them is listed here: a new one must be asked there as well.
 */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { makeConfig } from '../../src/config/load.js';
import { routesOutsidePrefix } from '../../src/http/contract-parts.js';

/** Middleware that answers, and a path that it answers; null: one of the route tables, or no content at all. */
const ANSWERING: Readonly<Record<string, string | null>> = {
  serveMetrics: '/metrics',
  health: '/_health',
  serveUploads: '/uploads/:file',
  mcpEndpoint: '/mcp',
  mountRoutes: null,
  docsPage: '/docs',
  firstPage: '/',
  unmatched: null,
};

/** Middleware that only passes on. */
const PASSING = [
  'requestId',
  'limitBufferedResponses',
  'recordRequests',
  'responseTime',
  'compression',
  'answerErrors',
  'cachedReads',
  'serverTiming',
  'bytesAsTheyAre',
  'middleware',
  'securityHeaders',
  'allowOrigins',
  'poweredBy',
  'keepingHeaders',
  'checkPath',
  'consistency',
  'budgets',
  'serialize',
  'readQuery',
  'parseBody',
];

describe('security: doors', () => {
  it('no middleware answers requests without being asked by the test of non-interference', () => {
    const used = [...readFileSync('src/app.ts', 'utf8').matchAll(/app\.use\((\w+)/g)].map(([, name]) => name);
    expect(new Set(used)).to.deep.equal(new Set([...PASSING, ...Object.keys(ANSWERING)]));
    const config = makeConfig('.', { server: { mcp: true, metrics: true, docs: true } });
    const beside = routesOutsidePrefix(config).map(({ path }) => path);
    // The tools of agents are asked by name, and metrics contain no content.
    const paths = Object.values(ANSWERING).filter((path) => path !== null && path !== '/mcp');
    expect(beside).to.include.members(paths);
  });
});
