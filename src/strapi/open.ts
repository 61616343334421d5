import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isOfStrapi } from '../code-scan/own-project.js';
import type { Config } from '../config/types.js';
import type { AppEvent } from '../events/events.js';
import type { FromCode } from '../schema/load.js';
import { normalName } from '../schema/names.js';
import type { ContentType, Schema } from '../schema/types.js';
import type { StrapiCode } from './code.js';
import type { PluginRoutes } from './extension.js';
import { listCode } from './list-files.js';
import { closedWithoutCode, type NotRun } from './not-run.js';
import type { CodeFile } from './types.js';

/** The code of a Strapi project, as the server sees it. */
export interface ProjectCode {
  readonly files: readonly CodeFile[];
  /** The code that runs; null if there is none, or `code.run` is false. */
  readonly running: StrapiCode | null;
  /** What is closed because code is not run. */
  readonly closed: readonly NotRun[];
  /** The beginnings of the actions of types that have no routes: no router of the project names them. */
  readonly without: readonly string[];
  readonly events: readonly AppEvent[];
}

export const NO_CODE: ProjectCode = { files: [], running: null, closed: [], without: [], events: [] };

interface Around {
  readonly config: Config;
  readonly schema: Schema;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** The built-in routes of plugins. */
  pluginRoutes(): Promise<PluginRoutes>;
  /** The schema with what code makes of it. */
  extended(given: FromCode): Promise<Schema>;
}

/** The code of the project at `root`, loaded unless `code.run` is false. @throws ConfigError */
export async function openCode(
  root: string,
  { config, schema, variables, pluginRoutes, extended }: Around,
): Promise<ProjectCode> {
  const { files, notCompiled } = await listCode(root, config.code.plugins);
  const left: readonly AppEvent[] =
    notCompiled.length === 0 ? [] : [{ name: 'code-not-compiled', files: notCompiled }];
  const routed = await routedTypes(root, files, schema);
  if (!config.code.run) {
    const closed = await closedWithoutCode(root, files, config.code);
    const routers = new Set(files.flatMap(({ kind, uid }) => (kind === 'route' ? apiOf(uid) : [])));
    return {
      files,
      running: null,
      closed,
      without: routed.filter(({ uid }) => !routers.has(apiOf(uid))).map(({ uid }) => `${uid}.`),
      events: [...left, ...describeNotRun(files, closed)],
    };
  }
  if (files.length === 0 && config.code.middlewares.length === 0)
    return { ...NO_CODE, without: routed.map(({ uid }) => `${uid}.`), events: left };
  const { StrapiCode } = await import('./code.js');
  // Strapi puts the variables of .env there, where a project's code looks for them.
  for (const [name, value] of Object.entries(variables)) if (value !== undefined) process.env[name] ??= value;
  const running = await StrapiCode.open({
    root: resolve(root),
    schema,
    config,
    files,
    routed,
    variables,
    pluginRoutes: await pluginRoutes(),
    extended,
  });
  // The same list: more is added when the code runs.
  running.events.unshift(...left);
  return { files, running, closed: [], without: [], events: running.events };
}

const apiOf = (uid: string): string => uid.slice(0, uid.indexOf('.'));

/** The types whose routes are those of the code: all if Strapi is installed, otherwise those of an API with code. */
async function routedTypes(
  root: string,
  files: readonly CodeFile[],
  schema: Schema,
): Promise<readonly ContentType[]> {
  const isStrapis = await isOfStrapi(root);
  const withCode = new Set(
    files.flatMap(({ kind, uid }) => (['route', 'controller', 'service'].includes(kind) ? apiOf(uid) : [])),
  );
  return [...schema.contentTypes.values()].filter(({ origin, uid }) => {
    if (origin !== 'api') return false;
    const isInApis = existsSync(join(root, 'src/api', nameOf(uid))) || withCode.has(apiOf(uid));
    return withCode.has(apiOf(uid)) || (isStrapis && isInApis);
  });
}

const nameOf = (uid: string): string => normalName(apiOf(uid).slice('api::'.length));

function describeNotRun(files: readonly CodeFile[], closed: readonly NotRun[]): readonly AppEvent[] {
  const reasons = new Map<string, string[]>();
  for (const { prefix, because } of closed)
    reasons.set(because, [...(reasons.get(because) ?? []), prefix === null ? 'every route' : `${prefix}*`]);
  const names = [...new Set(closed.map(({ name }) => name))];
  return [
    ...files.map(({ file, kind }): AppEvent => ({ name: 'code-not-run', file, kind })),
    ...[...reasons].map(([reason, routes]): AppEvent => ({ name: 'routes-closed', routes, reason })),
    ...(names.length === 0 ? [] : [{ name: 'routes-can-be-opened' as const, names }]),
  ];
}

type WithAction = { readonly action: string | null };

/** The routes that code declares, for the actions that they require. */
export const declaredRoutes = ({
  own,
  code,
}: {
  readonly own: { readonly definition: { readonly routes?: readonly WithAction[] } };
  readonly code: Pick<ProjectCode, 'running'>;
}): readonly WithAction[] => [...(own.definition.routes ?? []), ...(code.running?.routes ?? [])];
