/** Which commit last changed each table since the start. What is derived from a table's state is valid until the next one. */
export class TableVersions {
  readonly #changed = new Map<number, number>();

  /** Notes the tables that a commit has changed. */
  noteCommit(commit: number, tables: Iterable<number>): void {
    for (const table of tables) this.#changed.set(table, commit);
  }

  /** The number of the last commit that changed a table; 0 if none has since the start. */
  changedAt(table: number): number {
    return this.#changed.get(table) ?? 0;
  }
}
