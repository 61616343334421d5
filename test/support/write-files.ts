import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/** Writes files by their paths below a folder: a string as it is, anything else as JSON. */
export async function writeFiles(folder: string, files: Readonly<Record<string, unknown>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
}

/** Lets a project's code import `mangrove` as if it were installed there. */
export async function linkMangrove(root: string): Promise<void> {
  await mkdir(join(root, 'node_modules'));
  await symlink(resolve('.'), join(root, 'node_modules', 'mangrove'));
}
