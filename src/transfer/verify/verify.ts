import type { Import } from '../run/context.js';
import { placeKeyOf, type StagedDifference } from '../run/rows.js';
import { readArchive } from './archive.js';
import type { CheckedItem, ExpectedSource } from './expected.js';
import { verifyFiles } from './files.js';
import { Reported } from './reported.js';
import { verifyRows } from './rows.js';
import { readStrapi3 } from './strapi3.js';

const AT_ONCE = 500;

/**
 * Reads the source a second time, by a reader that shares nothing with the import, and looks for every value,
 * link and file in the stored content. What is not there must be in a line of the report. Where each row was
 * stored is taken from the import, and checked: no two rows may claim the same place.
 */
export async function verify(run: Import): Promise<void> {
  if (!run.verify || run.dryRun) return;
  const { state, staging, source } = run;
  state.tally.verified = { entries: 0, values: 0, links: 0, files: 0, differences: 0 };
  state.at = 0;
  await staging.index('problems', 'place');
  const { raw } = source;
  const expected = raw.kind === 'archive' ? await readArchive(run, raw) : readStrapi3(run, raw);
  for await (const rows of expected.rows()) {
    if (rows.length === 0) continue;
    for (const text of await verifyRows(run, rows)) await reportDifference(run, text);
    await run.saved(state.at + rows.length);
  }
  await verifyOthers(run, expected);
  if (run.selection.parts.includes('files'))
    for await (const text of verifyFiles(run, expected)) await reportDifference(run, text);
}

async function reportDifference({ staging, state }: Import, text: string): Promise<void> {
  const number = state.tally.verified.differences++;
  const row: StagedDifference = { _id: String(number).padStart(12, '0'), text };
  await staging.add('differences', [row]);
}

async function verifyOthers(run: Import, expected: ExpectedSource): Promise<void> {
  let missing: CheckedItem[] = [];
  const settle = async (): Promise<void> => {
    const reported = await Reported.about(
      run.staging,
      missing.map(({ at }) => placeKeyOf(at)),
    );
    for (const { at, missing: why, mention } of missing)
      if (!reported.about(placeKeyOf(at), mention)) await reportDifference(run, `${at}: ${why}`);
    missing = [];
  };
  for await (const finding of expected.others()) {
    if (finding.missing !== null) missing.push(finding);
    if (missing.length >= AT_ONCE) await settle();
  }
  await settle();
}
