import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, type PlainObject } from '../../values/plain-object.js';
import { type Definitions, type Model3, modelFromFile } from './models.js';

/**
 * Adds what the files of a Strapi 3 project define: custom `globalId`s, and models that are not in the
 * database.
 */
export const withProject3 =
  (folder: string) =>
  async (found: Definitions): Promise<Definitions> => {
    const files = await settingsFiles(folder);
    const known = new Map([...found.models, ...found.removed].map((model) => [model.uid, model]));
    const models: Model3[] = [];
    for (const [uid, content] of files) {
      const model = known.get(uid);
      const globalId = typeof content['globalId'] === 'string' ? { globalId: content['globalId'] } : {};
      models.push(model ? { ...model, ...globalId } : modelFromFile(uid, content));
    }
    const listed = new Set(models.map(({ uid }) => uid));
    return {
      ...found,
      models: [...models, ...found.models.filter(({ uid }) => !listed.has(uid))],
      removed: found.removed.filter(({ uid }) => !listed.has(uid)),
    };
  };

async function settingsFiles(folder: string): Promise<ReadonlyMap<string, PlainObject>> {
  const files = new Map<string, PlainObject>();
  for (const api of await names(join(folder, 'api')))
    for (const file of await names(join(folder, 'api', api, 'models')))
      if (file.endsWith('.settings.json')) {
        const name = file.slice(0, -'.settings.json'.length);
        await read(files, `application::${api}.${name}`, join(folder, 'api', api, 'models', file));
      }
  for (const category of await names(join(folder, 'components')))
    for (const file of await names(join(folder, 'components', category)))
      if (file.endsWith('.json'))
        await read(files, `${category}.${file.slice(0, -5)}`, join(folder, 'components', category, file));
  return files;
}

const names = async (folder: string): Promise<readonly string[]> =>
  existsSync(folder) ? (await readdir(folder)).sort() : [];

async function read(files: Map<string, PlainObject>, uid: string, path: string): Promise<void> {
  const content: unknown = JSON.parse(await readFile(path, 'utf8'));
  if (isObject(content)) files.set(uid, content);
}
