/**
 * The Damerau–Levenshtein distance of two words: letters to insert, delete, replace or swap with their
 * neighbour.
 */
function editsBetween(left: string, right: string): number {
  let before: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, at) => at);
  for (let i = 1; i <= left.length; i++) {
    const row = [i];
    for (let j = 1; j <= right.length; j++) {
      const same = left[i - 1] === right[j - 1];
      const swapped = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      row.push(
        Math.min(
          (last[j] ?? 0) + 1,
          (row[j - 1] ?? 0) + 1,
          (last[j - 1] ?? 0) + (same ? 0 : 1),
          swapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    before = last;
    last = row;
  }
  return last[right.length] ?? 0;
}

/** The known name that was probably meant by a misspelt one; undefined if none is similar enough. */
function nearest(name: string, known: Iterable<string>): string | undefined {
  const [best] = [...known]
    .map((candidate) => ({ candidate, edits: editsBetween(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((left, right) => left.edits - right.edits);
  return best && best.edits <= Math.max(1, Math.floor(name.length / 4)) ? best.candidate : undefined;
}

/** `; did you mean "public"?`, or an empty string. */
export const didYouMean = (name: string, known: Iterable<string>): string => {
  const meant = nearest(name, known);
  return meant === undefined ? '' : `; did you mean "${meant}"?`;
};
