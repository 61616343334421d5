import { Transform } from 'node:stream';
import { ImportError } from '../source/error.js';

/** A tar ends with at least two blocks of zeros. */
const END = 1024;

/**
 * Passes a tar through, and fails at the end if it has none: cut between two members, it would otherwise look
 * like a shorter one.
 */
export function withEnd(): Transform {
  let last: Buffer = Buffer.alloc(0);
  return new Transform({
    transform(data: Buffer, _, done) {
      last = data.length >= END ? data.subarray(-END) : Buffer.concat([last, data]).subarray(-END);
      done(null, data);
    },
    flush(done) {
      const isComplete = last.length === END && last.every((byte) => byte === 0);
      done(
        isComplete ? null : new ImportError('The archive is damaged (it ends before its end was written)'),
      );
    },
  });
}
