/** The events between two answers, beside the answers as a whole. */
import { expect } from 'chai';
import { type Random, randomOf, SEED } from '../../packages/engine/test/support/random.js';
import { answerOf } from '../../src/live/answer.js';
import { eventsBetween, knownOf, wholeEvent } from '../../src/live/events.js';
import { Output } from '../../src/render/bytes/output.js';
import { applied } from './client.js';

const TEXTS = [
  '',
  'a',
  '"',
  '\\',
  '\\"',
  ',',
  '[,]',
  '}{',
  'é',
  '😀',
  '\u2028',
  '\n\n',
  'id: x',
  'a'.repeat(300),
];

function anything(random: Random, depth = 0): unknown {
  const kind = random.below(depth > 3 ? 5 : 8);
  if (kind === 0) return random.pick(TEXTS);
  if (kind === 1) return random.pick([0, -1, 1.5e300, 7]);
  if (kind < 4) return random.pick([null, true, false]);
  if (kind === 4) return random.pick([[], {}, [[]], [{}], [null]]);
  const some = Array.from({ length: random.below(4) }, () => anything(random, depth + 1));
  return kind < 6 ? some : Object.fromEntries(some.map((value, at) => [`${random.pick(TEXTS)}${at}`, value]));
}

describe('live lists: parts of an answer', () => {
  const answer = (data: readonly object[]) =>
    answerOf({ json: Output.of(data), pagination: null, timings: [], validator: null });
  /** What a client has that applies the events to what it had. */
  const after = (had: unknown, events: Buffer): unknown =>
    String(events)
      .split('\n\n')
      .filter((one) => one !== '')
      .reduce((now: unknown, one) => {
        const [event = '', , data = ''] = one.split('\n');
        return applied(now, event.slice('event: '.length), JSON.parse(data.slice('data: '.length)));
      }, had);

  for (const size of [0, 1, 5, 60, 600])
    it(`seed ${SEED}: the events between two lists of about ${size} make the second of the first`, async () => {
      const random = randomOf(SEED + size);
      let [made, told] = [0, 0];
      const entry = () => ({ documentId: `d${++made}`, id: made, value: anything(random) });
      let list = Array.from({ length: size }, entry);
      for (let round = 0; round < 60; round++) {
        const before = await answer(list);
        const had = { data: JSON.parse(JSON.stringify(list)), meta: {} };
        for (let change = 0; change <= random.below(4); change++) {
          const at = random.below(list.length + 1);
          const kind = random.below(5);
          if (kind === 0) list = list.toSpliced(at, 0, entry());
          else if (kind === 1) list = list.toSpliced(at, 1);
          else if (kind === 2)
            list = list.map((one, n) => (n === at ? { ...one, value: anything(random) } : one));
          else if (kind === 3) {
            const [moved] = list.slice(at, at + 1);
            if (moved) list = list.toSpliced(at, 1).toSpliced(random.below(list.length), 0, moved);
          } else if (random.below(10) === 0) list = list.toReversed();
        }
        const now = await answer(list);
        const events = eventsBetween(knownOf(before), now) ?? wholeEvent('reset', now);
        expect(after(had, events)).to.deep.equal({ data: JSON.parse(JSON.stringify(list)), meta: {} });
        if (!String(events).startsWith('event: reset')) told += 1;
      }
      expect(told, 'rounds without a reset').to.be.above(size === 0 ? 0 : 10);
    });

  it('an answer in which entries cannot be told apart has no events', async () => {
    const one = { documentId: 'a', id: 1 };
    const [single, double] = [await answer([one]), await answer([one, one])];
    expect(eventsBetween(knownOf(single), double)).to.equal(null);
    expect(eventsBetween(knownOf(double), single)).to.equal(null);
  });
});
