import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { objectAt } from '../values/plain-object.js';
import type { Values } from './types.js';

/** Those of every Strapi. */
const OF_STRAPI: readonly string[] = [
  'content-manager',
  'content-type-builder',
  'content-releases',
  'review-workflows',
  'cloud',
];

/** Whether a dependency of the project is this plugin: `@strapi/plugin-seo`, `strapi-plugin-seo`. */
const isPlugin = (dependency: string, name: string): boolean =>
  dependency.includes('strapi') && dependency.endsWith(`plugin-${name}`);

/** The plugins that a project has in Strapi: those of Strapi, of its package and of `config/plugins`. */
export async function installedPlugins(root: string, files: Values): Promise<(name: string) => boolean> {
  const text = await readFile(join(root, 'package.json'), 'utf8').catch(() => '{}');
  const dependencies = Object.keys(objectAt(JSON.parse(text), 'dependencies'));
  const configured = objectAt(files['plugins']);
  return (name) =>
    OF_STRAPI.includes(name) ||
    Object.hasOwn(configured, name) ||
    dependencies.some((dependency) => isPlugin(dependency, name));
}
