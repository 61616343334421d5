/** Wakes those who wait for changes, with a time limit. */
export class ChangeSignal {
  private readonly waiting = new Set<() => void>();

  notify(_lastChange: number): void {
    for (const wake of [...this.waiting]) wake();
  }

  /** Resolves at the next change, or after the given milliseconds. */
  next(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, milliseconds);
      this.waiting.add(wake);
    });
  }

  close(): void {
    for (const wake of [...this.waiting]) wake();
  }
}
