#!/usr/bin/env node
// `npm create mangrove my-content -- --typescript` is `mangrove init my-content --typescript`.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const entry = fileURLToPath(import.meta.resolve('mangrove'));
/** The folder of the package that a file belongs to. */
const packageOf = (file) => {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder))
    try {
      const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      if (manifest.name === 'mangrove') return { folder, manifest };
    } catch {
      // Not here: one further up.
    }
  throw new Error('mangrove has no package.json');
};
const { folder, manifest } = packageOf(entry);
const given = process.argv.slice(2);
// Without a folder the help says what is missing.
const args = given.length > 0 ? given : ['--help'];
const { status } = spawnSync(process.execPath, [join(folder, manifest.bin.mangrove), 'init', ...args], {
  stdio: 'inherit',
});
process.exit(status ?? 1);
