/**
 * Whatever the request, the server answers: with entries, or with a 4xx that explains the problem. Never a 500, never a
 * hang.
 */
import { expect } from 'chai';
import fc from 'fast-check';
import { anyRequest } from '../support/arbitrary-request.js';
import { corpusSchema } from '../support/corpus/schema.js';
import { rounds } from '../support/rounds.js';
import { send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const RUNS = rounds(80, 600, 'PROPERTY_RUNS');
/** Milliseconds. */

describe('any request for content', function () {
  this.timeout(600_000);
  let server: TestServer;
  let token: string;

  before(async () => {
    server = await startTestServer({ rest: { publicDrafts: true } });
    token = (await server.project.access.tokens.create({ name: 'full', type: 'full-access' })).key;
    const make = async (route: string, data: object): Promise<string> => {
      const made = await send(server.url, `/api/${route}`, { token, body: { data } });
      expect(made.status, JSON.stringify(made.body)).to.equal(201);
      return String(made.at('data.documentId'));
    };
    const category = await make('categories', { name: 'a', position: 1 });
    const owner = await make('people', { firstName: 'a', born: '2000-01-01' });
    const dish = { name: 'a', price: 12.5, ingredients: [{ name: 'a', grams: 1 }], category };
    const similar = await make('restaurants', { name: 'b', stars: 1, settings: { a: [1] }, owner });
    const blocks = [
      { __component: 'blocks.hero', title: 'a', cta: { label: 'a' } },
      { __component: 'blocks.related', title: 'b', restaurants: [similar] },
    ];
    await make('restaurants', {
      name: 'a',
      categories: [category],
      menu: [dish],
      blocks,
      similar: [similar],
    });
  });
  after(() => server?.close());

  it('is answered, or refused with a 4xx that explains why', async () => {
    const answers = { right: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(anyRequest(corpusSchema), fc.boolean(), async (path, v4) => {
        const headers = v4 ? { 'strapi-response-format': 'v4' } : {};
        const answer = await send(server.url, `/api${path}`, { token, headers });
        expect(answer.status, JSON.stringify(answer.body)).lessThan(500);
        if (answer.status === 200) answers.right += 1;
        if (answer.status !== 400) return;
        answers.refused += 1;
        expect(answer.at('error.message')).to.be.a('string').that.is.not.equal('');
        expect(answer.at('error.details')).to.be.an('object');
      }),
      { numRuns: RUNS, interruptAfterTimeLimit: 120_000 },
    );
    expect(answers.right, 'some must reach the database').greaterThan(RUNS / 20);
    expect(answers.refused).greaterThan(RUNS / 20);
  });
});
