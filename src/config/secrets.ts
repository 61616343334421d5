import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { AppEvent } from '../events/events.js';
import { codeOf } from '../values/code-of.js';
import { objectAt } from '../values/plain-object.js';
import { reasonOf } from '../values/reason-of.js';
import { ConfigError } from './error.js';
import type { SecretsConfig } from './types.js';

/**
 * Lengths of a secret in characters. Strapi generates 16 random bytes, 24 characters in base64 and 22 without
 * padding: enough against guessing, so a migrated project keeps its tokens. HS256 asks for 32 bytes (RFC
 * 7518, 3.2).
 */
const ADVISED = 32;
const LEAST = 22;
/**
 * Minimum number of different characters: random text has more in any alphabet, repeated words have fewer.
 */
const MIN_DIFFERENT = 8;

interface CheckedSecrets {
  readonly problems: readonly string[];
  readonly warnings: readonly AppEvent[];
}

/** Problems with the given secrets: whoever guesses `JWT_SECRET` can sign in as anyone. */
export function checkSecrets(given: SecretsConfig): CheckedSecrets {
  const set = [
    { name: 'JWT_SECRET', secret: given.jwtSecret },
    { name: 'API_TOKEN_SALT', secret: given.apiTokenSalt },
  ].filter(({ secret }) => secret !== '');
  const isWeak = (secret: string): boolean => secret.length < LEAST || new Set(secret).size < MIN_DIFFERENT;
  return {
    problems: set
      .filter(({ secret }) => isWeak(secret))
      .map(
        ({ name }) =>
          `${name} can be guessed: set it to at least 16 random bytes, such as the output of "openssl rand -base64 32"`,
      ),
    warnings: set
      .filter(({ secret }) => !isWeak(secret) && secret.length < ADVISED)
      .map(({ name, secret }) => ({
        name: 'secret-short',
        variable: name,
        characters: secret.length,
        advised: ADVISED,
      })),
  };
}

/**
 * The given secrets, with missing ones generated once and stored in `secrets.json` of the data folder,
 * readable only by its owner. Processes that start at the same time agree on one file.
 * @param creates whether missing ones are generated
 * @throws ConfigError if a secret is missing and the folder cannot store one
 */
export async function keepSecrets(
  given: SecretsConfig,
  dataDir: string,
  creates = true,
): Promise<SecretsConfig> {
  if (given.jwtSecret !== '' && given.apiTokenSalt !== '') return given;
  const file = join(dataDir, 'secrets.json');
  try {
    const kept = (await read(file)) ?? (creates ? await create(file, dataDir) : given);
    return {
      jwtSecret: given.jwtSecret || kept.jwtSecret,
      apiTokenSalt: given.apiTokenSalt || kept.apiTokenSalt,
    };
  } catch (error) {
    const reason = reasonOf(error);
    throw new ConfigError([
      `${file}: ${reason}; set JWT_SECRET and API_TOKEN_SALT, or make the file readable and its folder writable`,
    ]);
  }
}

async function read(file: string): Promise<SecretsConfig | undefined> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const { jwtSecret, apiTokenSalt } = objectAt(JSON.parse(text));
  if (
    typeof jwtSecret !== 'string' ||
    typeof apiTokenSalt !== 'string' ||
    jwtSecret === '' ||
    apiTokenSalt === ''
  )
    throw new ConfigError(['jwtSecret or apiTokenSalt is missing']);
  return { jwtSecret, apiTokenSalt };
}

/**
 * Written to a temporary file and linked into place, so that readers never see half a file; the first to link
 * wins.
 */
async function create(file: string, dataDir: string): Promise<SecretsConfig> {
  await mkdir(dataDir, { recursive: true });
  const secrets = {
    jwtSecret: randomBytes(32).toString('base64url'),
    apiTokenSalt: randomBytes(16).toString('base64url'),
  };
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const handle = await open(draft, 'wx', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(secrets, null, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  const won = await link(draft, file).then(
    () => true,
    (error: unknown) => {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    },
  );
  await unlink(draft);
  return won ? secrets : ((await read(file)) ?? secrets);
}
