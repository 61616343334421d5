const SOAK = Boolean(process.env['MANGROVE_SOAK']);

/**
 * How often a random test repeats, or how many of its steps it takes.
 * @param few for `npm test`
 * @param all with `MANGROVE_SOAK=1`
 * @param named the environment variable that gives another number
 */
export const rounds = (few: number, all: number, named = 'MANGROVE_RUNS'): number =>
  Number(process.env[named] ?? (SOAK ? all : few));
