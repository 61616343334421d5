import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadModule } from '../schema/files/module.js';
import { reasonOf } from '../values/reason-of.js';
import type { Difference } from './differences.js';
import { MigrationError } from './error.js';
import { stepRule } from './steps.js';
import type { Migration, MigrationStep } from './types.js';

const FOLDER = 'migrations';
const FILE = /^(?!.*\.d\.ts$)(.+)\.[cm]?[jt]s$/;

export interface MigrationFile {
  /** The name without extension; migrations are applied in the order of their names. */
  readonly name: string;
  /** Relative to the project. */
  readonly file: string;
}

export async function migrationFiles(root: string): Promise<readonly MigrationFile[]> {
  const folder = join(root, FOLDER);
  const names = existsSync(folder) ? await readdir(folder) : [];
  return names
    .flatMap((file) => {
      const name = FILE.exec(file)?.[1];
      return name === undefined ? [] : [{ name, file: `${FOLDER}/${file}` }];
    })
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}

/** @throws MigrationError if the file does not export a migration */
export async function loadMigration(root: string, { file }: MigrationFile): Promise<Migration> {
  const { value } = await loadModule(join(root, file)).catch((error: unknown) => {
    throw new MigrationError(`${file}: ${reasonOf(error)}`);
  });
  const migration = value as Partial<Migration> | undefined;
  if (!Array.isArray(migration?.steps)) throw new MigrationError(`${file}: export default { steps: [ … ] }`);
  for (const step of migration.steps) stepRule(step);
  return migration as Migration;
}

/** A step as source text for a migration file. */
export const stepText = (value: MigrationStep): string =>
  JSON.stringify(value)
    .replace(/"(\w+)":/g, ' $1: ')
    .replaceAll('"', "'")
    .replace(/\}$/, ' }')
    .replaceAll(',', ', ')
    .replaceAll(',  ', ', ');

/** Writes a migration file; returns its path relative to the project. */
export async function writeMigration(
  root: string,
  name: string,
  differences: readonly Difference[],
): Promise<string> {
  const lines = differences.flatMap(({ says, decide, steps }) => [
    `    // ${says}`,
    ...(decide === null ? [] : [`    // Decide: ${decide}`]),
    ...steps.map((step) => `    ${stepText(step)},`),
  ]);
  const body =
    lines.length > 0
      ? lines
      : ["    // { documents: 'api::article.article', change: (entry) => ({ ...entry }) },"];
  const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  const file = `${FOLDER}/${stamp}-${name}.mjs`;
  await mkdir(join(root, FOLDER), { recursive: true });
  await writeFile(
    join(root, file),
    `/** @type {import('mangrove').Migration} */\nexport default {\n  steps: [\n${body.join('\n')}\n  ],\n};\n`,
    { flag: 'wx' },
  );
  return file;
}
