/**
 * What exists for speed alone. `npm run bench -- --without` measures a server with and without each; one that does
 * not make real traffic at least a quarter faster is removed (docs/performance.md).
 */
export const MECHANISMS = [
  'plan cache',
  'count strategy',
  'documents together',
  'similar reads',
  'writes together',
  'reads without a cursor',
  'large reads',
] as const;

export type Mechanism = (typeof MECHANISMS)[number];

/** The variable that names, separated by commas, what a server does without: for the bench and for tests. */
export const WITHOUT = 'MANGROVE_WITHOUT';

const off: ReadonlySet<string> = new Set((process.env[WITHOUT] ?? '').split(','));

export const isOn = (mechanism: Mechanism): boolean => !off.has(mechanism);
