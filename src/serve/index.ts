import { adviseRoles, allActions } from '../access/index.js';

import { createApp } from '../app.js';
import type { Config } from '../config/types.js';
import { createEventLog, type EventLog } from '../events/event-log.js';
import { adviseCacheControl } from '../http/conditional/advise-cache.js';
import { listen } from '../http/server.js';
import { loadSdk } from '../mcp/sdk.js';
import { openProject, type Project, type ProjectOptions } from '../project.js';
import { startJobs } from '../project-code/schedule.js';
import { startScheduled } from '../scheduled/run.js';
import { watchAdopted } from '../store/adopted/watch.js';
import { declaredRoutes } from '../strapi/open.js';
import { startWebhooks } from '../webhooks/index.js';
import { firstKey, firstRun } from './first-run.js';
import { addressOf, greeting, publicTypes } from './greeting.js';
import { type Renew, reportRestored, watchForRestore } from './restore.js';
import { checkRulesKept } from './rules-kept.js';

export interface Serving {
  readonly project: Project;
  readonly port: number;
  /**
   * Stops accepting connections, waits for running requests, closes the database.
   * @param lingers whether connections in use may send one more request
   */
  stop(lingers?: boolean): Promise<void>;
}

interface ServeOptions extends ProjectOptions {
  /** A file or folder that the first start seeds from; none if absent. */
  readonly seed?: string;
  /** Awaited when everything is ready except the port, which another server may still be using. */
  readonly beforeListen?: () => Promise<void>;
  /**
   * Whether `mangrove restore` may replace this server's database; only if nothing else holds this project.
   */
  readonly restores?: boolean;
  /** Whether other processes serve the project already: what they have noted of its routes stays. */
  readonly joins?: boolean;
  /** Called with the greeting once the server listens. */
  readonly print?: (text: string, config: Config) => void;
}

/** Whether the database responds within two seconds. */
const answers = async ({ store }: Project): Promise<boolean> => {
  const late = new Promise<false>((resolve) => setTimeout(resolve, 2000, false).unref());
  const ping = store.db.command({ ping: 1 }).then(
    () => true,
    () => false,
  );
  return Promise.race([ping, late]);
};

/** An open project and its app, before it listens. */
interface Running {
  readonly project: Project;
  readonly app: ReturnType<typeof createApp>;
  /** Whether the database was empty and has been seeded. */
  readonly first: boolean;
  /** Makes readiness checks fail, and ends what would not end by itself. */
  leave(): void;
  /** Stops the jobs and closes the database. */
  end(): Promise<void>;
}

/** Loads the config, opens the database, creates indexes, runs the first seed and builds the app. */
async function begin(options: ServeOptions, events: EventLog): Promise<Running> {
  const { record } = events;
  const project = await openProject({ ...options, events, outlastsImports: true });
  /** What runs beside the server. */
  const parts: { stop(drainMs: number): Promise<unknown> }[] = [];
  try {
    const { config } = project;
    if (config.server.mcp) await loadSdk();
    const actions = allActions(project.schema, declaredRoutes(project));
    const roles = (await project.access.roles.all()).map(({ role: { type } }) => type);
    const warnings = [
      ...config.warnings,
      ...adviseRoles(config.roles, actions),
      ...adviseCacheControl(config, project.schema, roles),
      ...project.code.events,
    ];
    for (const warning of warnings) record(warning);
    const first = options.seed !== undefined && (await firstRun(project, options.seed));
    await project.own.definition.bootstrap?.(project.own.tools);
    if (!options.joins) await project.code.running?.forgetUnsupported();
    await project.code.running?.bootstrap();
    await checkRulesKept(project);
    await reportRestored(project);
    await options.beforeListen?.();
    let leaving = false;
    const app = createApp({ ...project, ready: async () => !leaving && answers(project) });
    const scheduled = { ...project.own.definition.jobs, ...project.code.running?.jobs() };
    parts.push(await startJobs({ jobs: scheduled }, project.own.tools, { db: project.store.db, record }));
    const watching = await watchAdopted(project.store, project.schema, (error) =>
      record({ name: 'change-stream-reopened', err: error }),
    );
    parts.push({ stop: () => watching.close() });
    parts.push(await startWebhooks({ ...project, record }));
    parts.push(startScheduled({ ...project, record }));
    return {
      project,
      app,
      first,
      leave: () => {
        leaving = true;
        project.live.close();
      },
      async end() {
        for (const part of parts) await part.stop(config.server.drainMs);
        await project.close();
      },
    };
  } catch (error) {
    for (const part of parts) await part.stop(0);
    await project.close();
    throw error;
  }
}

/** Opens a project and serves it. */
export const startServing = async (options: ServeOptions): Promise<Serving> => {
  const events = options.events ?? createEventLog({ level: 'info', production: true });
  const { record } = events;
  let running = await begin(options, events);
  const { project, first } = running;
  const { config } = project;
  try {
    const server = await listen(running.app, {
      ...config.server,
      proxy: running.app.proxy,
      own: project.code.running?.server.http() ?? null,
    });
    const key = first ? await firstKey(project) : null;
    record({ name: 'server-listening', port: server.port, url: addressOf(config, server.port) });
    // The greeting is omitted in production, unless it contains the new token, which is shown only once.
    if (config.environment !== 'production' || key !== null)
      options.print?.(greeting(project, await publicTypes(project), server.port, key), config);
    const { seed: _, beforeListen: __, ...again } = options;
    /**
     * Closes the database, changes it and reopens it; if that fails, undoes the change. Requests wait
     * meanwhile.
     */
    const renew: Renew = async (change) => {
      running.leave();
      const resume = await server.hold(config.server.drainMs);
      await running.end();
      let undo: (() => Promise<void>) | null = null;
      try {
        undo = await change();
        running = await begin(again, events);
      } catch (error) {
        await undo?.();
        running = await begin(again, events);
        throw error;
      } finally {
        resume(running.app);
      }
    };
    const restoring = options.restores ? watchForRestore(config, project.sharesEngine, renew) : null;
    const stop = async (lingers = false): Promise<void> => {
      await restoring?.stop();
      running.leave();
      try {
        await server.drain(config.server.drainMs, lingers);
        await running.end();
      } catch (error) {
        record({ name: 'stop-failed', err: error });
        throw error;
      }
      record({ name: 'server-stopped' });
    };
    return { project, port: server.port, stop };
  } catch (error) {
    await running.end();
    throw error;
  }
};
