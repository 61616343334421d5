import { collectionName } from '../pipeline/collection.js';
import { projectionOf } from '../pipeline/semi-join.js';
import { fillSlots } from '../pipeline/slots.js';
import type { CompiledRead } from '../pipeline/types.js';
import type { Store } from '../store/client.js';
import type { SlotValues } from '../store/resolve-joins.js';
import { shellText } from './shell-text.js';

export const collectionText = (name: string): string => `db.getCollection(${JSON.stringify(name)})`;

/** A read as commands for mongosh: the semi-joins first, then the read, then the count. */
export function readCommands(store: Store, read: CompiledRead, valueFor: SlotValues): readonly string[] {
  const on = ({ type, status }: CompiledRead['source']): string =>
    collectionText(collectionName(type, status));
  const command = (source: CompiledRead['source'], stages: readonly unknown[]): string =>
    `${on(source)}.aggregate(${shellText(fillSlots(stages, valueFor))})`;
  const fromMetadata = read.counted.length === 0 && store.exactMetadata;
  const count = fromMetadata
    ? `${on(read.source)}.estimatedDocumentCount()`
    : command(read.source, [...read.counted, { $count: 'n' }]);
  // A sort in sets tells the total by itself.
  const counted = read.withTotal && !read.ordering ? [count] : [];
  return [
    ...read.semiJoins.map((join) => command(join.source, [...join.stages, projectionOf(join)])),
    ...(read.ordering ? [command(read.source, [...read.counted, ...read.ordering.stages])] : []),
    command(read.source, read.stages),
    ...counted,
  ];
}
