/** Random calls of the Document Service against a model of rules F and G; everything is read after each call. */
import fc from 'fast-check';
import { type TestDocuments, testDocuments } from '../support/documents.js';
import { rounds } from '../support/rounds.js';
import { command } from './model/commands.js';
import { runner } from './model/run.js';
import { shapeSchema } from './model/shape.js';

const RUNS = rounds(2, 6, 'PROPERTY_RUNS');

describe('the Document Service compared with a model written from the specification', function () {
  this.timeout(180_000);
  const schema = shapeSchema();
  let opened: TestDocuments;
  before(async () => {
    opened = await testDocuments(schema);
  });
  after(() => opened.close());

  it('returns, refuses and stores what the model predicts', () =>
    fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 8, maxLength: 20, size: 'max' }), (commands) =>
        runner(opened, schema)(commands),
      ),
      { numRuns: RUNS, interruptAfterTimeLimit: 90_000 },
    ));
});
