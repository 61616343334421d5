import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SchemaError } from '../../schema/error.js';
import { readSchemaFiles, type SchemaFile } from '../../schema/files/read.js';
import { codeOf } from '../../values/code-of.js';
import { ImportError } from '../source/error.js';
import type { PlannedFile } from './plan.js';

/** Writes planned files to a folder. Never overwrites an existing file. */
export async function writeFiles(folder: string, files: readonly PlannedFile[]): Promise<void> {
  for (const { file, content } of files) {
    const path = join(folder, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, `${JSON.stringify(content, null, 2)}\n`, { flag: 'wx' }).catch((error: unknown) => {
      throw codeOf(error) === 'EEXIST'
        ? new ImportError(`${path} already exists, and schema files are not overwritten`)
        : error;
    });
  }
}

/** The project's own schema files; none if it has no folder for them. */
export async function projectFiles(root: string): Promise<readonly SchemaFile[]> {
  try {
    return await readSchemaFiles(root);
  } catch (error) {
    if (error instanceof SchemaError) return [];
    throw error;
  }
}
