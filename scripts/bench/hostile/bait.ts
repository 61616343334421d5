import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import { type Db, ObjectId } from 'mongodb';
import { documentId } from '../content.js';

/** An account that was imported with its bcrypt hash. */
export const IMPORTED = 'imported';
/** Far from the ids of the accounts that `fill` makes. */
const IMPORTED_ID = 1_000_000;
export const PASSWORD = 'right password';
/** A file that visitors read. */
export const FILE = 'visited.txt';
/** A long repetitive text: each position of it begins like what attackers search for. */
const NOTE = 'a'.repeat(900_000);
/** Entries with such a text; one more has none, to be written. */
export const LOCKERS = 2;

/** Where the server keeps its files. */
export const publicDirOf = (dataDir: string): string => join(dataDir, 'public');

/** Stores what some attacks aim at: an imported account, long texts, and a file. */
export const layBait = async (db: Db, publicDir: string): Promise<void> => {
  const now = new Date();
  const entry = { _id: new ObjectId(), locale: null, createdAt: now, updatedAt: now, publishedAt: now };
  await db.collection('mangrove.users').insertOne({
    ...entry,
    id: IMPORTED_ID,
    documentId: documentId('i', IMPORTED_ID),
    username: IMPORTED,
    email: `${IMPORTED}@example.test`,
    nameKey: IMPORTED,
    provider: 'local',
    password: hashSync(PASSWORD, 10),
    resetPasswordToken: null,
    confirmationToken: null,
    confirmed: true,
    blocked: false,
    role: null,
  });
  await db.collection('lockers').insertMany(
    Array.from({ length: LOCKERS + 1 }, (_, n) => ({
      ...entry,
      _id: new ObjectId(),
      id: n + 1,
      documentId: documentId('l', n),
      note: n < LOCKERS ? NOTE : null,
      pins: [],
    })),
  );
  const uploads = join(publicDir, 'uploads');
  await mkdir(uploads, { recursive: true });
  await writeFile(join(uploads, FILE), 'A file that visitors read.\n'.repeat(1000));
};
