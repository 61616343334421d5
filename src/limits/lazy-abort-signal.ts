import { setMaxListeners } from 'node:events';

type Listener = Parameters<AbortSignal['addEventListener']>[1];

/**
 * The abort signal of one request. Node's own is expensive to create, and the driver adds five listeners to
 * it for each command. This one keeps its listeners in a set and creates an `AbortController` only when the
 * request is actually aborted.
 */
export class LazyAbortSignal implements AbortSignal {
  aborted = false;
  reason: unknown;
  readonly onabort = null;
  private readonly listeners = new Set<Listener>();

  /** Notifies all listeners, as an `AbortController` does; later calls have no effect. */
  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    const controller = new AbortController();
    // A request may wait for many things at once: no leak to warn about.
    setMaxListeners(0, controller.signal);
    for (const listener of this.listeners) controller.signal.addEventListener('abort', listener);
    this.listeners.clear();
    controller.abort(reason);
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  /** @param type only `abort` ever occurs */
  addEventListener(type: string, listener: Listener): void {
    if (type === 'abort' && !this.aborted) this.listeners.add(listener);
  }

  removeEventListener(_type: string, listener: Listener): void {
    this.listeners.delete(listener);
  }

  /** Required by the interface; never used. */
  dispatchEvent(): boolean {
    return true;
  }
}
