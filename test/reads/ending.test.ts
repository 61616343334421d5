/** A request's signal compared with Node's own. */
import { expect } from 'chai';
import { Ending } from '../../src/limits/ending.js';

/** What listeners receive from a signal, by what ends it. */
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

describe("a request's signal", () => {
  it("notifies its listeners as Node's own does", () => {
    const controller = new AbortController();
    const ending = new Ending();
    const told = heard(ending, (reason) => ending.abort(reason));
    expect(told).to.deep.equal(heard(controller.signal, (reason) => controller.abort(reason)));
    expect(told).to.include('function');
  });
});
