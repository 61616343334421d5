/** Work that goes on while more is prepared, a few at a time. */
export class Background {
  private readonly underWay = new Set<Promise<void>>();
  private broken: { readonly error: unknown } | null = null;

  constructor(private readonly atOnce: number) {}

  /** Begins work as soon as there is room for it. Rejects with the first error of what was begun before. */
  async begin(run: () => Promise<void>): Promise<void> {
    while (this.underWay.size >= this.atOnce) await Promise.race(this.underWay);
    if (this.broken) throw this.broken.error;
    const work: Promise<void> = run()
      .catch((error: unknown) => {
        this.broken ??= { error };
      })
      .finally(() => this.underWay.delete(work));
    this.underWay.add(work);
  }

  /** Waits until nothing is under way, whether or not it succeeds. */
  async ended(): Promise<void> {
    await Promise.all(this.underWay);
  }

  /** The same, but rejects with the first error. */
  async done(): Promise<void> {
    await this.ended();
    if (this.broken) throw this.broken.error;
  }
}
