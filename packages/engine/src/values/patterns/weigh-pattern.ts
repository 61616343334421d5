import type { Part, Repeat } from './syntax.js';

/**
 * How many alternatives JavaScript's matcher may try in the worst case, `ways * length ** power`, and how many characters each of
 * them compares.
 */
interface Weight {
  readonly power: number;
  readonly ways: number;
  readonly size: number;
}

const PLACE: Weight = { power: 0, ways: 1, size: 0 };
const CHARACTER: Weight = { power: 0, ways: 1, size: 1 };
const ENDLESS: Weight = { power: Number.POSITIVE_INFINITY, ways: 1, size: 1 };

const together = (weights: readonly Weight[]): Weight => ({
  power: weights.reduce((sum, { power }) => sum + power, 0),
  ways: weights.reduce((product, { ways }) => product * ways, 1),
  size: weights.reduce((sum, { size }) => sum + size, 0),
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
      return CHARACTER;
    case 'place':
      return PLACE;
    case 'sequence':
      return together(part.parts.map(weightOf));
    case 'choice': {
      const options = part.options.map(weightOf);
      return {
        power: Math.max(...options.map(({ power }) => power)),
        ways: options.reduce((sum, { ways }) => sum + ways, 0),
        size: Math.max(...options.map(({ size }) => size)),
      };
    }
    case 'capture':
    case 'atomic':
    case 'look':
      return weightOf(part.body);
    case 'reference':
    case 'verb':
      return ENDLESS;
    case 'repeat':
      return weightOfRepeat(part);
  }
}

function weightOfRepeat({ body, min, max }: Repeat): Weight {
  const one = weightOf(body);
  if (max <= 1) return { ...one, ways: one.ways * (max + 1 - min) };
  if (!isFixed(body)) return ENDLESS;
  const { size } = one;
  if (max === Number.POSITIVE_INFINITY) return { power: 1, ways: 1, size: size * (min + 1) };
  return { power: 0, ways: max - min + 1, size: size * max };
}

/** Whether every match begins at the start of the text. */
const isAnchored = (part: Part): boolean =>
  part.kind === 'place'
    ? part.source === '^'
    : part.kind === 'sequence' && part.parts[0] !== undefined && isAnchored(part.parts[0]);

/** Characters that are compared in the time of trying one alternative. */
const CHARACTERS = 8;

/** Returns the maximum number of steps that a backtracking matcher needs for a string of some length. */
export function weighPattern(root: Part): (length: number) => number {
  const { power, ways, size } = weightOf(root);
  const all = isAnchored(root) ? power : power + 1;
  return (length) => ways * Math.max(size / CHARACTERS, 1) * (length + 1) ** all + length;
}
