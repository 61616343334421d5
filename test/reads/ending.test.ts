/** The signal of a request, held against Node's own. */
import { expect } from 'chai';
import { Ending } from '../../src/limits/ending.js';

/** What listeners hear, by a signal and what ends it. */
const heard = (signal: AbortSignal, abort: (reason: unknown) => void): readonly unknown[] => {
  const said: unknown[] = [];
  const gone = (): void => void said.push('gone');
  signal.addEventListener('abort', gone);
  signal.removeEventListener('abort', gone);
  signal.addEventListener('abort', function (this: AbortSignal, event) {
    said.push('function', this.aborted, this.reason, event.type);
  });
  signal.addEventListener('abort', { handleEvent: ({ type }) => void said.push('object', type) });
  signal.throwIfAborted();
  said.push(signal.aborted);
  abort('first');
  abort('second');
  signal.addEventListener('abort', () => said.push('late'));
  try {
    signal.throwIfAborted();
  } catch (error) {
    said.push('thrown', error);
  }
  return [...said, signal.aborted, signal.reason];
};

describe('the signal of a request', () => {
  it("tells those who listen what Node's own tells them", () => {
    const controller = new AbortController();
    const ending = new Ending();
    const told = heard(ending, (reason) => ending.abort(reason));
    expect(told).to.deep.equal(heard(controller.signal, (reason) => controller.abort(reason)));
    expect(told).to.include('function');
  });
});
