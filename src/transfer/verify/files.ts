import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Import } from '../run/context.js';
import { placeKeyOf } from '../run/rows.js';
import type { ExpectedSource } from './expected.js';
import { Reported } from './reported.js';

/** Compares the bytes of all files; yields what differs. */
export async function* verifyFiles(run: Import, expected: ExpectedSource): AsyncGenerator<string> {
  const { provider, staging, state } = run;
  for await (const { key, bytes } of expected.files()) {
    const wanted = await digestOf(bytes);
    const blob = await provider.find(key);
    state.tally.verified.files += 1;
    const why = !blob
      ? 'it has no bytes'
      : (await digestOf(blob.read())) === wanted
        ? null
        : 'its bytes differ from those of the source';
    if (why === null) continue;
    const reported = await Reported.about(staging, [placeKeyOf(key)]);
    if (!reported.about(placeKeyOf(key))) yield `file ${key}: ${why}`;
  }
}

async function digestOf(bytes: Readable): Promise<string> {
  const hash = createHash('sha256');
  for await (const part of bytes) hash.update(part);
  return hash.digest('hex');
}
