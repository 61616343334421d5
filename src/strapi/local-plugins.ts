import { existsSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { objectAt } from '../values/plain-object.js';

/** The folders of the plugins that `config/plugins` switches on by their path: those of the project itself. */
export const localPlugins = (root: string, plugins: unknown): readonly string[] =>
  Object.values(objectAt(plugins)).flatMap((declared) => {
    const { enabled, resolve: given } = objectAt(declared);
    if (!enabled || typeof given !== 'string') return [];
    const folder = resolve(root, given);
    const path = relative(root, folder).split(sep).join('/');
    return existsSync(folder) && !path.split('/').includes('node_modules') ? [path] : [];
  });
