/** What a run of adopt has seen at a path, as text: `objectId -> authors._id`. The next run compares it. */

/** The text with a collection and path to which the values refer. */
export const referring = (seen: string, target: string): string =>
  `${seen}${seen.includes(ARROW) ? ', ' : ARROW}${target}`;

/** What the values refer to. */
export const referredIn = (seen: unknown): readonly string[] =>
  String(seen ?? '')
    .split(ARROW)
    .slice(1)
    .flatMap((targets) => targets.split(', '));

const ARROW = ' -> ';
