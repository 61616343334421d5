import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { AppEvent } from '../events/events.js';
import { normalName, uidIn } from '../schema/names.js';
import type { ContentType, Schema } from '../schema/types.js';
import { addTo } from '../values/group.js';
import { reasonOf } from '../values/reason-of.js';
import { type ApiFile, readFactoryFile, readLifecycles } from './api-files.js';
import { closedBetween } from './between.js';
import { doesSomething, membersOf } from './exported.js';
import { readExtension } from './extensions.js';
import { baseName, codeIn, foldersIn, importedFrom } from './find.js';
import { isOfStrapi, ownProjectFile } from './own-project.js';
import { type ParsedFile, parseFile } from './parse.js';
import { type RouteFile, readRouteFile, usualRoutes } from './routes.js';
import type { Closed, Closing, CodeFile, CodeKind, DeclaredRoute, ProjectCode } from './types.js';
import { withoutChanged } from './unchanged.js';

interface Gathered {
  readonly files: CodeFile[];
  readonly closings: Closing[];
  readonly routes: Map<string, DeclaredRoute[]>;
  readonly warnings: AppEvent[];
}

interface Reading extends Gathered {
  readonly root: string;
  readonly types: ReadonlyMap<string, ContentType>;
  /** If Strapi is installed, a type has the routes of its code, and none without code. */
  readonly isStrapis: boolean;
}

/**
 * Reads the code of a Strapi project (rules D.1) without running it: what it would do, which routes it
 * declares, and which of them must stay closed because code decides who may use them.
 * @param root the project's folder
 * @param middlewares entries of config/middlewares that Mangrove does not have
 */
export async function readProjectCode(
  root: string,
  schema: Schema,
  middlewares: readonly string[] = [],
): Promise<ProjectCode> {
  const reading: Reading = {
    root: resolve(root),
    types: new Map([...schema.contentTypes].filter(([, type]) => type.origin === 'api')),
    isStrapis: await isOfStrapi(root),
    files: [],
    closings: [],
    routes: new Map(),
    warnings: [],
  };
  for (const api of await foldersIn(root, 'src/api')) await readApi(reading, api);
  await readExtensions(reading);
  // Other files in the folder that it imports are run with it.
  const isOwn = (await ownProjectFile(root)) !== null;
  if (!isOwn) await readBootstrap(reading);
  await nameOnly(reading, isOwn);
  await readBetween(reading, isOwn ? STRAPIS : ['src']);
  for (const name of middlewares)
    reading.closings.push({
      at: { everything: true },
      names: [name],
      because: `config/middlewares runs ${name} before every route`,
    });
  const { files, closings, routes, warnings } = reading;
  return { files, closings, routes, warnings };
}

/** Parses a file and passes it to `read`; if it cannot be parsed, reports it and closes `otherwise`. */
async function open(
  reading: Reading,
  { file, kind }: Pick<CodeFile, 'file' | 'kind'>,
  read: (
    parsed: ParsedFile,
  ) => { readonly does: string | null; readonly closings: readonly Closing[] } | null,
  otherwise?: Closed,
): Promise<void> {
  const parsed = await parseFile(join(reading.root, file)).catch((error: unknown) => {
    const [reason = ''] = reasonOf(error).split('\n');
    // A file may be read for several purposes.
    if (!reading.warnings.some((known) => 'file' in known && known.file === file))
      reading.warnings.push({ name: 'code-unreadable', file, reason });
    if (otherwise) reading.closings.push({ at: otherwise, names: [file], because: `${file} cannot be read` });
    return null;
  });
  const found = parsed && read(withoutChanged(parsed));
  if (!found) return;
  if (found.does !== null) reading.files.push({ file, kind, does: found.does });
  reading.closings.push(...found.closings);
}

const FACTORIES = [
  ['controller', 'createCoreController'],
  ['service', 'createCoreService'],
] as const;

async function readApi(reading: Reading, api: string): Promise<void> {
  const { root, types } = reading;
  const folder = `src/api/${api}`;
  const own = [...types.values()].filter(({ uid }) => uid.startsWith(`api::${normalName(api)}.`));
  // Strapi reads only these folders, not their subfolders.
  const files = {
    routes: await codeIn(root, `${folder}/routes`, false),
    controllers: await codeIn(root, `${folder}/controllers`, false),
    services: await codeIn(root, `${folder}/services`, false),
  };
  // An API with code also has its routes as code: a type that no router names has none (rules A.1).
  if (reading.isStrapis || Object.values(files).some((list) => list.length > 0))
    for (const { uid } of own) if (!reading.routes.has(uid)) reading.routes.set(uid, []);
  if (reading.isStrapis && files.routes.length === 0)
    for (const { uid } of own)
      reading.files.push({ file: folder, kind: 'route', does: `has no router, so ${uid} has no routes` });
  for (const file of files.routes)
    await open(
      reading,
      { file, kind: 'route' },
      (parsed) => takeRoutes(reading, readRouteFile(parsed, { api, file, types })),
      { prefix: `api::${normalName(api)}.` },
    );
  showClosed(reading, own);
  for (const [kind, factory] of FACTORIES)
    for (const file of files[`${kind}s`]) {
      const name = baseName(file);
      await open(
        reading,
        { file, kind },
        (parsed): ApiFile | null => readFactoryFile(parsed, { factory, name }, { api, file, types }),
        { prefix: `${uidIn(api, name)}.` },
      );
    }
  for (const name of await foldersIn(root, `${folder}/content-types`))
    for (const file of await codeIn(root, `${folder}/content-types/${name}`, false)) {
      const uid = uidIn(api, name);
      const draftAndPublish = types.get(uid)?.draftAndPublish ?? true;
      if (baseName(file) === 'lifecycles')
        await open(
          reading,
          { file, kind: 'lifecycles' },
          (parsed) => readLifecycles(parsed, file, { uid, draftAndPublish }),
          { prefix: `${uid}.` },
        );
    }
  for (const file of await codeIn(root, folder, false))
    if (baseName(file) === 'index') await nameBootstrap(reading, file);
}

function takeRoutes({ routes }: Reading, found: RouteFile): RouteFile {
  for (const { uid, ...route } of found.routes) addTo(routes, uid, route);
  return found;
}

/** A type whose routes are unknown keeps its usual ones, closed, so that callers learn why. */
function showClosed({ routes, closings }: Reading, types: readonly ContentType[]): void {
  for (const type of types) {
    const isClosed = closings.some(({ at }) => 'prefix' in at && `${type.uid}.`.startsWith(at.prefix));
    if (isClosed && routes.get(type.uid)?.length === 0) routes.set(type.uid, [...usualRoutes(type)]);
  }
}

async function readExtensions(reading: Reading): Promise<void> {
  for (const plugin of await foldersIn(reading.root, 'src/extensions'))
    for (const file of await codeIn(reading.root, `src/extensions/${plugin}`)) {
      if (file !== `src/extensions/${plugin}/${file.split('/').at(-1)}` || baseName(file) !== 'strapi-server')
        reading.files.push({ file, kind: 'extension', does: IMPORTED });
      else
        await open(reading, { file, kind: 'extension' }, (parsed) => readExtension(parsed, plugin, file), {
          prefix: `plugin::${plugin}.`,
        });
    }
}

/** If `src` has no content types, it may belong to another program, except for its index file. */
const holdsTypes = ({ root }: Reading): boolean => existsSync(join(root, 'src', 'api'));

async function readBootstrap(reading: Reading): Promise<void> {
  for (const file of await codeIn(reading.root, 'src', false)) {
    if (baseName(file) !== 'index') {
      if (holdsTypes(reading)) reading.files.push({ file, kind: 'bootstrap', does: IMPORTED });
      continue;
    }
    await nameBootstrap(reading, file);
  }
}

const IMPORTED = 'is imported by other code';

const nameBootstrap = (reading: Reading, file: string): Promise<void> =>
  open(reading, { file, kind: 'bootstrap' }, (parsed) => {
    if (parsed.exported === null && !holdsTypes(reading)) return { does: null, closings: [] };
    const members = membersOf(parsed.exported, parsed);
    const names = members
      ? [...members].filter(([, node]) => doesSomething(node)).map(([name]) => name)
      : ['code'];
    return { does: names.length === 0 ? null : `runs ${names.join(', ')} at start`, closings: [] };
  });

/** Most files neither mention Strapi nor make such calls, and need not be parsed. */
const HINT = /\bstrapi\b|\.\s*(?:use|subscribe)\b/;
const PACKAGES = /@strapi\/[\w-]+(?:\/strapi)?|\bstrapi::/g;

/** The folders below `src` that are Strapi's if the project has code for Mangrove. */
const STRAPIS = ['src/api', 'src/extensions', 'src/plugins'];

/**
 * `register` and `bootstrap` may call any file, including local plugins, to insert code between callers and
 * content.
 */
async function readBetween(reading: Reading, folders: readonly string[]): Promise<void> {
  const { root } = reading;
  const within = [];
  for (const folder of folders) within.push(...(await codeIn(root, folder, holdsTypes(reading))));
  for (const file of [...within, ...(await importedFrom(root, within)), ...(await codeIn(root, 'plugins'))]) {
    if (/^src\/admin\/|\/(?:admin\/src|node_modules|dist)\//.test(file)) continue;
    const text = await readFile(join(root, file), 'utf8');
    if (!HINT.test(text.replaceAll(PACKAGES, ''))) continue;
    await open(
      reading,
      { file, kind: 'bootstrap' },
      (parsed) => {
        const closings = closedBetween(parsed, file);
        const isNew = closings.length > 0 && !reading.files.some((one) => one.file === file);
        return { does: isNew ? 'comes between callers and the content' : null, closings };
      },
      { everything: true },
    );
  }
}

type Named = readonly [folder: string, kind: CodeKind, does: string];

const AROUND: readonly Named[] = [
  ['src/policies', 'policy', 'decides who may use the routes that name it'],
  ['src/middlewares', 'middleware', 'runs around the requests of the routes that name it'],
];
const NAMED: readonly Named[] = [
  ['src/plugins', 'plugin', 'belongs to a local plugin, which is not served'],
  ['database/migrations', 'migration', 'changes an SQL database'],
];

async function nameOnly(reading: Reading, isOwn: boolean): Promise<void> {
  const { root, files } = reading;
  const apis = (await foldersIn(root, 'src/api')).flatMap((api) =>
    AROUND.map(([folder, kind, does]) => [folder.replace('src', `src/api/${api}`), kind, does] as const),
  );
  for (const [folder, kind, does] of [...(isOwn ? [] : AROUND), ...NAMED, ...apis])
    for (const file of await codeIn(root, folder)) files.push({ file, kind, does });
  for (const file of await codeIn(root, 'config', false))
    if (/cron/.test(baseName(file))) files.push({ file, kind: 'cron', does: 'contains scheduled jobs' });
}
