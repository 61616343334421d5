import type { Part } from './syntax.js';

/** How many alternatives JavaScript's matcher may try in the worst case: `ways * length ** power`. */
interface Weight {
  readonly power: number;
  readonly ways: number;
}

const NOTHING: Weight = { power: 0, ways: 1 };
const ENDLESS: Weight = { power: Number.POSITIVE_INFINITY, ways: 1 };

const together = (weights: readonly Weight[]): Weight => ({
  power: weights.reduce((sum, { power }) => sum + power, 0),
  ways: weights.reduce((product, { ways }) => product * ways, 1),
});

/** Whether a part matches in only one way, so that repeating it can fail in no more ways than its count. */
function isFixed(part: Part): boolean {
  switch (part.kind) {
    case 'character':
    case 'place':
      return true;
    case 'sequence':
      return part.parts.every(isFixed);
    case 'capture':
      return isFixed(part.body);
    default:
      return false;
  }
}

function weightOf(part: Part): Weight {
  switch (part.kind) {
    case 'character':
    case 'place':
      return NOTHING;
    case 'sequence':
      return together(part.parts.map(weightOf));
    case 'choice': {
      const options = part.options.map(weightOf);
      return {
        power: Math.max(...options.map(({ power }) => power)),
        ways: options.reduce((sum, { ways }) => sum + ways, 0),
      };
    }
    case 'capture':
    case 'atomic':
    case 'look':
      return weightOf(part.body);
    case 'reference':
    case 'verb':
      return ENDLESS;
    case 'repeat': {
      if (part.max <= 1) return together([weightOf(part.body), { power: 0, ways: part.max + 1 - part.min }]);
      if (!isFixed(part.body)) return ENDLESS;
      if (part.max === Number.POSITIVE_INFINITY) return { power: 1, ways: 1 };
      return { power: 0, ways: part.max - part.min + 1 };
    }
  }
}

/** Whether every match begins at the start of the text. */
const isAnchored = (part: Part): boolean =>
  part.kind === 'place'
    ? part.source === '^'
    : part.kind === 'sequence' && part.parts[0] !== undefined && isAnchored(part.parts[0]);

/** Returns the maximum number of steps that a backtracking matcher needs for a string of some length. */
export function weighPattern(root: Part): (length: number) => number {
  const { power, ways } = weightOf(root);
  const all = isAnchored(root) ? power : power + 1;
  return (length) => ways * (length + 1) ** Math.max(all, 1);
}
