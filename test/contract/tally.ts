/** Counts how many cases of each group agree with the recording. */
export class Tally {
  private readonly groups = new Map<string, { agree: number; all: number; excepted: number }>();

  count(group: string, agrees: boolean, excepted: boolean): void {
    const row = this.groups.get(group) ?? { agree: 0, all: 0, excepted: 0 };
    this.groups.set(group, row);
    row.all += 1;
    if (agrees) row.agree += 1;
    if (excepted) row.excepted += 1;
  }

  print(): void {
    for (const [group, { agree, all, excepted }] of [...this.groups].sort())
      console.log(
        `    ${group}: ${agree}/${all}${excepted > 0 ? ` (${excepted} by decision, exceptions.json)` : ''}`,
      );
  }
}
