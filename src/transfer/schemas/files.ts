import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SchemaError } from '../../schema/error.js';
import { readSchemaFiles, type SchemaFile } from '../../schema/files/read.js';
import { codeOf } from '../../values/code-of.js';
import { ImportError } from '../source/error.js';
import type { PlannedFile } from './plan.js';

const textOf = ({ content }: PlannedFile): string => `${JSON.stringify(content, null, 2)}\n`;

/**
 * Refuses planned files whose path has another file.
 * @throws ImportError that names the first one
 */
export async function refuseExisting(folder: string, files: readonly PlannedFile[]): Promise<void> {
  for (const planned of files) {
    const path = join(folder, planned.file);
    const there = await readFile(path, 'utf8').catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return null;
      throw error;
    });
    if (there !== null && there !== textOf(planned))
      throw new ImportError(`${path} already exists, and schema files are not overwritten`);
  }
}

/** Writes planned files to a folder. Never overwrites an existing file. */
export async function writeFiles(folder: string, files: readonly PlannedFile[]): Promise<void> {
  await refuseExisting(folder, files);
  for (const planned of files) {
    const path = join(folder, planned.file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, textOf(planned), { flag: 'wx' }).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
  }
}

/** The project's own schema files; none if it has no folder for them. */
export async function ownSchemaFiles(root: string): Promise<readonly SchemaFile[]> {
  try {
    return await readSchemaFiles(root);
  } catch (error) {
    if (error instanceof SchemaError) return [];
    throw error;
  }
}
