import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

const { createHash, randomBytes } = crypto;

const bytesOf = (seed: string, size: number): Buffer => {
  const parts: Buffer[] = [];
  for (let length = 0; length < size; length += 64)
    parts.push(createHash('sha512').update(`${seed}/${length}`).digest());
  return Buffer.concat(parts).subarray(0, size);
};

const replace = (by: unknown): void => {
  Object.assign(crypto, { randomBytes: by });
  syncBuiltinESMExports();
};

/**
 * Runs requests to several servers one after the other, so that what is new gets the same documentId in each: a search
 * may find parts of it.
 */
export async function withSameIds<T, R>(
  seed: string,
  servers: readonly T[],
  ask: (server: T) => Promise<R>,
): Promise<R[]> {
  const answers: R[] = [];
  try {
    for (const server of servers) {
      let count = 0;
      replace((size: number, ...callback: []) =>
        callback.length > 0 ? randomBytes(size, ...callback) : bytesOf(`${seed}/${count++}`, size),
      );
      answers.push(await ask(server));
    }
    return answers;
  } finally {
    replace(randomBytes);
  }
}
