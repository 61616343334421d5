import type { BuildContext } from '../context.js';

/** Name of the sequence for ids of component items. */
export const COMPONENT_IDS = 'components';

/**
 * Returns a function that hands out `count` ids for component items. They are fetched up front so that
 * building stays pure.
 */
export async function takeComponentIds(
  { sequences }: Pick<BuildContext, 'sequences'>,
  count: number,
): Promise<() => number> {
  const ids = await sequences.take(COMPONENT_IDS, count);
  return () => ids.shift() ?? 0;
}
