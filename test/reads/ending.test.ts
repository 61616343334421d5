/** A request's signal compared with Node's own. */
import { expect } from 'chai';
import { LazyAbortSignal } from '../../src/limits/lazy-abort-signal.js';

/** What listeners receive from a signal, by what ends it. */
const heard = (signal: AbortSignal, abort: (reason: unknown) => void): readonly unknown[] => {
  const calls: unknown[] = [];
  const gone = (): void => void calls.push('gone');
  signal.addEventListener('abort', gone);
  signal.removeEventListener('abort', gone);
  signal.addEventListener('abort', function (this: AbortSignal, event) {
    calls.push('function', this.aborted, this.reason, event.type);
  });
  signal.addEventListener('abort', { handleEvent: ({ type }) => void calls.push('object', type) });
  signal.throwIfAborted();
  calls.push(signal.aborted);
  abort('first');
  abort('second');
  signal.addEventListener('abort', () => calls.push('late'));
  try {
    signal.throwIfAborted();
  } catch (error) {
    calls.push('thrown', error);
  }
  return [...calls, signal.aborted, signal.reason];
};

describe("a request's signal", () => {
  it("notifies its listeners as Node's own does", () => {
    const controller = new AbortController();
    const ending = new LazyAbortSignal();
    const calls = heard(ending, (reason) => ending.abort(reason));
    expect(calls).to.deep.equal(heard(controller.signal, (reason) => controller.abort(reason)));
    expect(calls).to.include('function');
  });
});
