import { contentTypeOf } from '../schema/find.js';
import type { Import } from './context.js';
import { type ItemRow, type LinkRow, placeOf, type Row } from './rows.js';
import { Problems } from './state.js';

/** Names the links whose own end never came: of entries that are not in the source, and of component items in no entry. */
export async function checkLinks(run: Import): Promise<void> {
  const { staging, state, schema } = run;
  const problems = new Problems(staging, state);
  let number = 0;
  const done = state.at;
  for await (const links of staging.batches<LinkRow>('links')) {
    number += links.length;
    if (number <= done) continue;
    const holders = [...new Set(links.map(({ from }) => from))];
    const isEntry = (key: string): boolean => contentTypeOf(schema, placeOf(key).uid) !== undefined;
    const met = new Set([
      ...(await staging.find<Row>('rows', holders.filter(isEntry))).map(({ _id }) => _id),
      ...(
        await staging.find<ItemRow>(
          'items',
          holders.filter((key) => !isEntry(key)),
        )
      ).map(({ _id }) => _id),
    ]);
    for (const { from, field, to } of links)
      if (!met.has(from)) {
        state.tally.links.leftOut += 1;
        const why = isEntry(from) ? `${from} is not in the source` : `no entry holds ${from}`;
        problems.add({ what: 'link', at: `${from} ${field} → ${to}`, why, kept: false });
      }
    await problems.flush();
    state.at = number;
    await run.saved();
  }
}
