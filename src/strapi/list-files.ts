import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { baseName, codeIn, foldersIn } from '../code-scan/files.js';
import { isOfStrapi, ownProjectFile } from '../code-scan/own-project.js';
import { compilesOnlyTypeScript } from '../schema/files/path-aliases.js';
import { normalName } from '../schema/names.js';
import { localPlugins } from './local-plugins.js';
import type { CodeFile, CodeKind } from './types.js';

/** The folders of an API, and of the project, with what their files are. */
const OF_API = [
  ['routes', 'route'],
  ['controllers', 'controller'],
  ['services', 'service'],
  ['policies', 'policy'],
  ['middlewares', 'middleware'],
] as const;
const GLOBAL = [
  ['src/policies', 'policy'],
  ['src/middlewares', 'middleware'],
] as const;

/** The code of a Strapi project. */
export interface ListedCode {
  readonly files: readonly CodeFile[];
  /** JavaScript in a project whose `tsconfig.json` does not allow it: Strapi loads what the compiler writes. */
  readonly notCompiled: readonly string[];
}

/**
 * The files of a Strapi project that Strapi would run.
 * @param root the project's folder
 * @param plugins the folders of its own plugins, by name
 */
export async function listCode(root: string, plugins: Readonly<Record<string, string>>): Promise<ListedCode> {
  const files = await codeFiles(root);
  const local = localPlugins(root, plugins);
  if (!(await isOfStrapi(root)) || !(await compilesOnlyTypeScript(root)))
    return { files: [...files, ...local], notCompiled: [] };
  const isCompiled = ({ file }: CodeFile): boolean => /tsx?$/.test(file);
  return {
    // Strapi loads plugins from where they are.
    files: [...files.filter(isCompiled), ...local],
    notCompiled: files.filter((file) => !isCompiled(file)).map(({ file }) => file),
  };
}

/**
 * The code in the folders that Strapi reads. The own `src/index` of a Mangrove project is not one
 * of them, nor are the folders next to it that have the names of Strapi's.
 */
async function codeFiles(root: string): Promise<readonly CodeFile[]> {
  const found: CodeFile[] = [];
  const take = async (folder: string, kind: CodeKind, uid: (name: string) => string): Promise<void> => {
    for (const file of await codeIn(root, folder, false))
      found.push({ file, kind, uid: uid(normalName(baseName(file)) || baseName(file)) });
  };
  for (const folder of await foldersIn(root, 'src/api')) {
    const api = `api::${normalName(folder)}`;
    for (const [name, kind] of OF_API)
      await take(`src/api/${folder}/${name}`, kind, (file) => `${api}.${file}`);
    for (const file of await codeIn(root, `src/api/${folder}`, false))
      if (baseName(file) === 'index') found.push({ file, kind: 'index', uid: api });
    for (const type of await foldersIn(root, `src/api/${folder}/content-types`))
      for (const file of await codeIn(root, `src/api/${folder}/content-types/${type}`, false))
        if (baseName(file) === 'lifecycles')
          found.push({ file, kind: 'lifecycles', uid: `${api}.${normalName(type)}` });
  }
  for (const plugin of await foldersIn(root, 'src/extensions'))
    for (const file of await codeIn(root, `src/extensions/${plugin}`, false))
      if (baseName(file) === 'strapi-server')
        found.push({ file, kind: 'extension', uid: `plugin::${plugin}` });
  // Without content types, `src` belongs to another program.
  const isStrapis = existsSync(join(root, 'src/api')) || (await isOfStrapi(root));
  if (!isStrapis || (await ownProjectFile(root)) !== null) return found;
  // Unlike those of an API, global ones keep the name of their file as it is.
  for (const [folder, kind] of GLOBAL)
    for (const file of await codeIn(root, folder, false))
      found.push({ file, kind, uid: `global::${baseName(file)}` });
  for (const file of await codeIn(root, 'src', false))
    if (baseName(file) === 'index') found.push({ file, kind: 'index', uid: 'src/index' });
  for (const file of await codeIn(root, 'config', false))
    if (baseName(file) === 'cron-tasks') found.push({ file, kind: 'cron', uid: 'config/cron-tasks' });
  return found;
}
