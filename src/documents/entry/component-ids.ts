import type { BuildContext } from '../context.js';

/** Name of the sequence that component items draw their ids from. */
export const COMPONENT_IDS = 'components';

/** Hands out `count` ids for component items, in turn. Fetched before building, which is pure. */
export async function takeComponentIds(
  { sequences }: Pick<BuildContext, 'sequences'>,
  count: number,
): Promise<() => number> {
  const ids = await sequences.take(COMPONENT_IDS, count);
  return () => ids.shift() ?? 0;
}
