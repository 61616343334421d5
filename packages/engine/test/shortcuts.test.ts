import { expect } from 'chai';
import { NO_SHORTCUTS, SHORTCUTS } from '../src/values/shortcuts.js';
import { Comparison, openSide, type Side } from './shortcuts/compare.js';
import { SEED } from './support/random.js';

const ROUNDS = 30;
/** Milliseconds. */
const SOAK = process.env['MANGROVE_SOAK'] ? 3_600_000 : 0;
/** Requests with a result that use each shortcut. */
const LEAST = 3;

describe('embedded engine: shortcuts', () => {
  let plain: Side;
  let fast: Side;
  before(async () => {
    plain = await openSide(NO_SHORTCUTS);
    fast = await openSide();
  });
  after(() => Promise.all([plain.close(), fast.close()]));

  it('answer as the plain way does, each of them', async function () {
    this.timeout(SOAK * 2 + 300_000);
    const comparison = new Comparison(plain, fast);
    const start = Date.now();
    for (let round = 0; round < ROUNDS || Date.now() - start < SOAK; round++)
      await comparison.round(SEED + round);
    const reached = Object.fromEntries(SHORTCUTS.map((name) => [name, comparison.reached.get(name) ?? 0]));
    if (process.env['SHOW']) console.error(reached);
    for (const [name, count] of Object.entries(reached)) expect(count, name).to.be.at.least(LEAST);
    expect(Object.values(await plain.uses()).every((count) => count === 0)).to.equal(true);
  });
});
