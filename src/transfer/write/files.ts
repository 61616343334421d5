import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { keysOf } from '../../media/keep-blobs.js';
import type { FileEntry, ImageFormats } from '../../media/types.js';
import { FILE_UID } from '../../schema/uids.js';
import { eachEntry } from '../../store/transfer/import-entries.js';
import { codeOf } from '../../values/code-of.js';
import { objectAt, textOf } from '../../values/plain-object.js';
import { reasonOf } from '../../values/reason-of.js';
import { type Import, writtenName } from '../run/context.js';
import { lost, moved } from '../source/types.js';
import { workingFolder } from '../source/working-folder.js';

/** Passes the bytes of files and formats to the provider, each under the key in its row. */
export async function files(run: Import): Promise<void> {
  const { source, state, staging, dryRun, selection } = run;
  if (!selection.parts.includes('files')) return;
  const { files: tally } = state.tally;
  const scratch = await workingFolder(run.scratch, 'import');
  const path = join(scratch, 'file');
  const done = state.at;
  let number = 0;
  try {
    for await (const { key, bytes } of source.files()) {
      number += 1;
      if (number <= done) {
        bytes.resume();
        continue;
      }
      const copy = createWriteStream(path);
      await pipeline(bytes, copy);
      tally.read += 1;
      await staging.add('fileKeys', [{ _id: key }]);
      try {
        if (!dryRun) await run.provider.save(key, path);
        tally.written += 1;
        tally.bytes += copy.bytesWritten;
      } catch (error) {
        // What is wrong with the disk or the database is wrong for all files: the next run continues here.
        if (!isNameRefused(error)) throw error;
        run.report(lost('file', key, reasonOf(error)));
      }
      await run.saved(number);
    }
    if (dryRun) return;
    await missingBytes(run);
    await unnamedBytes(run);
    await run.saved(number);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

const OF_NAMES = new Set<unknown>(['ENAMETOOLONG', 'EILSEQ', 'EINVAL', 'EISDIR', 'ENOTEMPTY', 'EEXIST']);

/** Whether nothing can be stored under a name, however much space there is. */
const isNameRefused = (error: unknown): boolean => error instanceof TypeError || OF_NAMES.has(codeOf(error));

interface FileRow extends Pick<FileEntry, 'documentId' | 'hash' | 'ext' | 'url'> {
  readonly formats: unknown;
}

/**
 * Reports the rows whose bytes are missing; the rows are kept. Files of other providers have no bytes here.
 */
async function missingBytes(run: Import): Promise<void> {
  for await (const row of eachEntry<FileRow>(run.store.db, writtenName(run, 'mangrove.files'))) {
    const note = (why: string): void => run.report(moved('file', `${FILE_UID} ${row.documentId}`, why));
    if (/^(?:[a-z]+:)?\/\//i.test(row.url)) note(`${row.url} keeps its URL: its file is not in the source`);
    else if (typeof row.hash !== 'string') note('it has no hash, which files are named by');
    else {
      const keys = keysOf({ ...row, formats: namedFormats(row.formats) });
      await run.staging.add('namedKeys', keyed(keys));
      for (const key of keys) if ((await run.provider.find(key)) === null) note(`${key} has no bytes`);
    }
  }
}

const keyed = (keys: readonly string[]) => keys.map((_id) => ({ _id }));

/** The formats that have bytes; the stored value may be anything. */
const namedFormats = (formats: unknown): ImageFormats => {
  const named = Object.entries(objectAt(formats)).filter(
    ([, format]) => textOf(objectAt(format)['hash']) !== null,
  );
  return Object.fromEntries(named) as ImageFormats;
};

/** Reports bytes without a row; they remain available at their URL. */
async function unnamedBytes({ staging, report }: Import): Promise<void> {
  for await (const batch of staging.batches<{ readonly _id: string }>('fileKeys')) {
    const keys = batch.map(({ _id }) => _id);
    const named = await staging.find('namedKeys', keys);
    for (const key of keys)
      if (!named.has(key)) report(moved('file', key, 'no file in the media library has these bytes'));
  }
}
