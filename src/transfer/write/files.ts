import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { keysOf } from '../../media/keep-blobs.js';
import type { ImageFormats } from '../../media/types.js';
import { FILE_UID } from '../../schema/uids.js';
import { eachEntry } from '../../store/transfer/import-entries.js';
import { isObject } from '../../values/plain-object.js';
import { reasonOf } from '../../values/reason-of.js';
import { type Import, writtenName } from '../run/context.js';
import { Problems } from '../run/state.js';
import { lost, moved } from '../source/types.js';

/** Hands the bytes of files and formats to the provider, each under the key that its row has. */
export async function files(run: Import): Promise<void> {
  const { source, state, staging, provider, dryRun, selection } = run;
  if (!selection.parts.includes('files')) return;
  const problems = new Problems(staging, state);
  const scratch = await mkdtemp(join(run.scratch, 'import-'));
  const done = state.at;
  let number = 0;
  try {
    for await (const { key, bytes } of source.files()) {
      number += 1;
      if (number <= done) {
        bytes.resume();
        continue;
      }
      const path = join(scratch, 'file');
      let size = 0;
      bytes.on('data', (data: Buffer) => {
        size += data.length;
      });
      await pipeline(bytes, createWriteStream(path));
      const saved = await saveFile(run, key, path).catch((error: unknown) => {
        problems.add(lost('file', key, reasonOf(error)));
        return false;
      });
      state.tally.files.read += 1;
      await staging.add('fileKeys', [{ _id: key }]);
      if (saved) {
        state.tally.files.written += 1;
        state.tally.files.bytes += size;
      }
      await problems.flush();
      state.at = number;
      await run.saved();
    }
    if (dryRun) return;
    await missingBytes(run, provider.find, problems);
    await unnamedBytes(run, problems);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function saveFile({ provider, dryRun }: Import, key: string, path: string): Promise<boolean> {
  if (!dryRun) await provider.save(key, path);
  return true;
}

interface FileRow {
  readonly documentId: string;
  readonly hash: string;
  readonly ext: string | null;
  readonly url: string;
  readonly formats: ImageFormats | null;
}

/** Names the rows whose bytes did not come along: the row is kept. Files elsewhere (another provider) have none here. */
async function missingBytes(
  run: Import,
  find: (key: string) => Promise<unknown>,
  problems: Problems,
): Promise<void> {
  for await (const row of eachEntry<FileRow>(run.store.db, writtenName(run, 'mangrove.files'))) {
    if (/^(?:[a-z]+:)?\/\//i.test(row.url)) {
      const why = `${row.url} stays where it is: its bytes are not in the source`;
      problems.add(moved('file', `${FILE_UID} ${row.documentId}`, why));
      continue;
    }
    const keys = keysOf(namedParts(row));
    if (typeof row.hash !== 'string') {
      const at = `${FILE_UID} ${row.documentId}`;
      problems.add(moved('file', at, 'it has no hash, by which bytes are named'));
      continue;
    }
    await run.staging.add(
      'namedKeys',
      keys.map((_id) => ({ _id })),
    );
    for (const key of keys)
      if ((await find(key)) === null)
        problems.add(moved('file', `${FILE_UID} ${row.documentId}`, `${key} has no bytes`));
  }
  await problems.flush();
}

/** The row with the formats that name bytes: what stands in their place may be anything. */
function namedParts(row: FileRow): FileRow {
  const formats = isObject(row.formats) ? Object.entries(row.formats as object) : [];
  const named = formats.filter(([, format]) => isObject(format) && typeof format['hash'] === 'string');
  return { ...row, formats: Object.fromEntries(named) as ImageFormats };
}

/** Names the bytes that no file has: they are kept under their address. */
async function unnamedBytes({ staging }: Import, problems: Problems): Promise<void> {
  for await (const batch of staging.batches<{ readonly _id: string }>('fileKeys')) {
    const keys = batch.map(({ _id }) => _id);
    const named = await staging.find('namedKeys', keys);
    for (const key of keys)
      if (!named.has(key)) problems.add(moved('file', key, 'no file of the library has these bytes'));
    await problems.flush();
  }
}
