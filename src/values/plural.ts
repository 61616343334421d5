/** A number and what is counted: `1 entry`, `2 entries`. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
