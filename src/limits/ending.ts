type Listener = Parameters<AbortSignal['addEventListener']>[1];

/**
 * The signal of one request. Node's own costs more than all else that a budget is made of, and the driver listens to it five times for
 * each command; this one keeps a list, of which Node hears only where the request is in fact ended.
 */
export class Ending implements AbortSignal {
  aborted = false;
  reason: unknown;
  readonly onabort = null;
  private readonly listeners = new Set<Listener>();

  /** Tells all who listen, as an `AbortController` does; the first reason stays. */
  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    const controller = new AbortController();
    for (const listener of this.listeners) controller.signal.addEventListener('abort', listener);
    this.listeners.clear();
    controller.abort(reason);
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  /** @param type only `abort` ever happens */
  addEventListener(type: string, listener: Listener): void {
    if (type === 'abort' && !this.aborted) this.listeners.add(listener);
  }

  removeEventListener(_type: string, listener: Listener): void {
    this.listeners.delete(listener);
  }

  /** Part of what a signal is. Nobody sends it events. */
  dispatchEvent(): boolean {
    return true;
  }
}
