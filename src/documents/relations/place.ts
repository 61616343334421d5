/**
 * Numbers for the members of an inverse list (`_links.<attribute>.order` of the owning entries), so that they sort as `wanted`.
 * Members of `known` keep their number unless they moved; one put between two others gets the middle; one at the end a fresh number
 * from the sequence of ids. Returns the numbers that are new or changed.
 */
export function placeInOrder(
  wanted: readonly string[],
  known: ReadonlyMap<string, number>,
  moved: ReadonlySet<string>,
  fresh: () => number,
): Map<string, number> {
  const changed = new Map<string, number>();
  let last = Number.NEGATIVE_INFINITY;
  let renumber = false;
  wanted.forEach((key, at) => {
    const kept = moved.has(key) ? undefined : known.get(key);
    if (!renumber && kept !== undefined && kept > last) {
      last = kept;
      return;
    }
    const next = renumber ? undefined : nextKept(wanted, at, known, moved);
    const number = next === undefined ? fresh() : between(last, next);
    // No room left between two floats: everything from here on is renumbered.
    renumber ||= next !== undefined && !(number > last && number < next);
    last = renumber && next !== undefined ? fresh() : number;
    changed.set(key, last);
  });
  return changed;
}

function nextKept(
  wanted: readonly string[],
  from: number,
  known: ReadonlyMap<string, number>,
  moved: ReadonlySet<string>,
): number | undefined {
  for (const key of wanted.slice(from + 1)) {
    const number = moved.has(key) ? undefined : known.get(key);
    if (number !== undefined) return number;
  }
  return undefined;
}

const between = (low: number, high: number): number =>
  Number.isFinite(low) ? low + (high - low) / 2 : high - 1;
