import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The version in Mangrove's package.json, which is in one of the folders above this file, compiled or not.
 */
export function packageVersion(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const version = versionIn(folder);
    if (version !== null) return version;
    if (dirname(folder) === folder) throw new Error('mangrove has no package.json');
    folder = dirname(folder);
  }
}

function versionIn(folder: string): string | null {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const own =
      typeof manifest === 'object' && manifest !== null && 'name' in manifest && 'version' in manifest;
    return own && manifest.name === 'mangrove' ? String(manifest.version) : null;
  } catch {
    return null;
  }
}
