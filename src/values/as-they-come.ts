/** Gathers what `source` yields without waiting: each list has at least one value and at most `size`. */
export async function* asTheyCome<T>(source: AsyncIterable<T>, size: number): AsyncGenerator<readonly T[]> {
  const values = source[Symbol.asyncIterator]();
  const read = (): Promise<IteratorResult<T>> => {
    const next = values.next();
    // It fails where it is awaited, or after nobody wants it any more.
    next.catch(() => undefined);
    return next;
  };
  try {
    for (let next = read(); ; ) {
      const first = await next;
      if (first.done) return;
      const batch = [first.value];
      const later = new Promise<null>((resolve) => setImmediate(resolve, null));
      next = read();
      while (batch.length < size) {
        const more = await Promise.race([next.catch(() => null), later]);
        if (!more || more.done) break;
        batch.push(more.value);
        next = read();
      }
      yield batch;
    }
  } finally {
    // Not awaited: that would wait for the next value.
    void values.return?.().catch(() => undefined);
  }
}
