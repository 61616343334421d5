import { projectionOf } from '../pipeline/relations/semi-join.js';
import { fillSlots } from '../pipeline/slots.js';
import type { CompiledRead, Source } from '../pipeline/types.js';
import type { Store } from '../store/client.js';
import { type CountedBy, orderingStages } from '../store/reads/read.js';
import type { SlotValues } from '../store/reads/resolve-joins.js';
import { shellText } from './shell-text.js';

export const collectionText = (name: string): string => `db.getCollection(${JSON.stringify(name)})`;

/**
 * A read as commands for mongosh: the semi-joins, the ordering if needed, the page, and the count if it
 * determines the total.
 */
export function readCommands(
  store: Store,
  read: CompiledRead,
  valueFor: SlotValues,
  total: CountedBy | null,
): readonly string[] {
  const on = ({ collection }: Source): string => collectionText(collection);
  const command = (source: Source, stages: readonly unknown[]): string =>
    `${on(source)}.aggregate(${shellText(fillSlots(stages, valueFor))})`;
  return [
    ...read.semiJoins.map((join) => command(join.source, [...join.stages, projectionOf(join)])),
    ...(read.ordering ? [command(read.source, orderingStages(store, read, read.ordering))] : []),
    command(read.source, read.stages),
    ...(total === 'metadata' ? [`${on(read.source)}.estimatedDocumentCount()`] : []),
    ...(total === 'count' ? [command(read.source, [...read.counted, { $count: 'n' }])] : []),
  ];
}
