import { inBatches } from '../run/batches.js';
import { type Import, leaveLinkOut } from '../run/context.js';
import { type ItemRow, type LinkRow, placeOf, type Row } from '../run/rows.js';

/**
 * Reports the links whose owner is missing: an entry that is not in the source, or a component item in no
 * entry.
 */
export const checkLinks = (run: Import): Promise<void> =>
  inBatches<LinkRow>(run, { name: 'links' }, async (links) => {
    const { staging, schema } = run;
    const holders = [...new Set(links.map(({ from }) => from))];
    const isEntry = (key: string): boolean => schema.contentTypes.get(placeOf(key).uid) !== undefined;
    const isItem = (key: string): boolean => !isEntry(key);
    const rows = await staging.find<Row>('rows', holders.filter(isEntry));
    const items = await staging.find<ItemRow>('items', holders.filter(isItem));
    for (const { from, field, to } of links)
      if (!rows.has(from) && !items.has(from)) {
        const why = isEntry(from) ? `${from} is not in the source` : `no entry contains ${from}`;
        leaveLinkOut(run, `${from} ${field} → ${to}`, why);
      }
  });
