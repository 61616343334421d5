import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';
import { runFolder } from '../../packages/engine/test/support/temporary.js';
import type { Email } from '../../src/access/mail.js';
import { createApp } from '../../src/app.js';
import type { ConfigOverrides } from '../../src/config/load.js';
import { deepMerge } from '../../src/config/merge.js';
import { createEventLog, type EventLog } from '../../src/events/event-log.js';
import { listen } from '../../src/http/server.js';
import type { Live } from '../../src/live/index.js';
import { openProject, type Project } from '../../src/project.js';
import { contentOf, fill } from './content-copy.js';
import { checkDescribed } from './described/check.js';
import { PATIENT, settled } from './engine.js';

export const FIXTURE = fileURLToPath(new URL('../conformance/fixture', import.meta.url));

const QUIET: ConfigOverrides = {
  environment: 'production',
  database: { totalMaxTimeMS: PATIENT },
  plugins: { i18n: { defaultLocale: 'en', locales: ['en', 'fr', 'de'] } },
  middlewares: { logger: { level: 'fatal' } },
  secrets: {
    jwtSecret: 'for tests alone, and long enough',
    apiTokenSalt: 'for tests alone, and long enough',
  },
};

export interface TestServer {
  readonly url: string;
  readonly project: Project;
  /** The folder of its content types, which others may have, too. */
  readonly schemaFolder: string;
  /** The URI of its database, including the name. */
  readonly database: string;
  /** Emails that would have been sent. */
  readonly emails: readonly Email[];
  /** Closes, and removes everything that was stored. */
  close(): Promise<void>;
}

export interface TestServerOptions {
  /** 0: any free port. */
  readonly port?: number;
  /** The database of a running server, to act as another process of the same project. */
  readonly beside?: TestServer;
  /** Another URI of that database. */
  readonly databaseUri?: string;
  /** Content types other than the fixture's. */
  readonly schemaFolder?: string;
  /** False: nothing may be created next to collections of other programs. */
  readonly agreed?: boolean;
  /** Bodies are deliberately nonsensical, so they do not match the description. */
  readonly hostile?: true;
  /**
   * Its responses are not compared with the description: hooks change them freely, or they are for others to compare.
   */
  readonly undescribed?: true;
  /** The database's name; a new one if absent. */
  readonly name?: string;
  /** A folder filled by `keepServer`: the initial data and the uploads. */
  readonly filled?: string;
  /** Makes the live lists; the project's own if absent. */
  readonly live?: (project: Project) => Live;
}

/** Where a test server stores its data, below its folder. */
const DATA = 'data';
const PUBLIC = 'public';

/** What the database of a given deployment contains. */
const CONTENT = 'content.json';

/** Keeps a copy of the data of a server, for others to start with. */
export async function keepServer({ project }: TestServer, folder: string): Promise<void> {
  const { db, client } = project.store;
  await settled(project.store);
  if (process.env['MONGODB_URI']) await writeFile(join(folder, CONTENT), await contentOf(db));
  else await client.db('admin').command({ backup: join(folder, DATA, 'embedded') });
  await cp(project.config.server.publicDir, join(folder, PUBLIC), { recursive: true });
}

async function fillFrom(uri: string, name: string, file: string): Promise<void> {
  const client = new MongoClient(uri);
  await fill(client.db(name), await readFile(file, 'utf8'));
  await client.close();
}

let made = 0;

/** The fixture's types that have passwords. */
const HASHING = ['restaurant', 'review'].map((name) => `api/${name}/content-types/${name}/schema.json`);

const fixtureTypes = new Map<string, Promise<string>>();

/** The fixture's content types, where password hashes are as cheap as bcrypt allows. */
async function copyFixtureTypes(folder: string): Promise<string> {
  await cp(join(FIXTURE, 'schemas'), folder, { recursive: true });
  for (const file of HASHING) {
    const text = await readFile(join(folder, file), 'utf8');
    await writeFile(
      join(folder, file),
      text.replace('"type": "password"', '$&, "encryption": { "rounds": 4 }'),
    );
  }
  return folder;
}

/** Their folder: one for all servers of this process, as long as the run lasts. */
function fixtureTypesFor(serverFolder: string): Promise<string> {
  const folder = join(runFolder() ?? serverFolder, `schemas-${process.pid}`);
  const known = fixtureTypes.get(folder) ?? copyFixtureTypes(folder);
  fixtureTypes.set(folder, known);
  return known;
}

const withName = (uri: string, name: string): string => {
  const url = /^(mongodb(?:\+srv)?:\/\/[^/]+)(?:\/[^?]*)?(\?.*)?$/.exec(uri);
  return url ? `${url[1]}/${name}${url[2] ?? ''}` : uri;
};

/**
 * A server in this process with the fixture's content types and no content: on the deployment at MONGODB_URI, in its
 * own database that is dropped at the end, or on an embedded engine in a temporary folder.
 */
export const startTestServer = async (
  overrides: ConfigOverrides = {},
  {
    port = 0,
    beside,
    databaseUri,
    agreed = true,
    hostile,
    undescribed,
    schemaFolder: otherTypes,
    name: ownName,
    filled,
    live: ownLive,
  }: TestServerOptions = {},
): Promise<TestServer> => {
  const folder = await mkdtemp(join(tmpdir(), 'mangrove-test-'));
  made += 1;
  const name =
    ownName ??
    beside?.project.store.db.databaseName ??
    `test_${process.pid}_${Date.now().toString(36)}_${made}`;
  const given = databaseUri ?? beside?.project.databaseUri ?? (process.env['MONGODB_URI'] || null);
  if (filled) await cp(filled, folder, { recursive: true });
  if (filled && given !== null) await fillFrom(given, name, join(folder, CONTENT));
  const emails: Email[] = [];
  const log = createEventLog({ level: 'fatal', production: true });
  const events: EventLog = {
    ...log,
    record(event) {
      if (event.name === 'email-not-sent') emails.push(event);
      log.record(event);
    },
  };
  const place = {
    database: { uri: given, name, dataDir: join(folder, DATA) },
    server: { publicDir: join(folder, PUBLIC) },
  };
  const schemaFolder = otherTypes ?? (await fixtureTypesFor(folder));
  const project = await openProject({
    root: folder,
    env: { NODE_ENV: 'production' },
    schemaFolder,
    agreed,
    overrides: [QUIET, overrides, place].reduce(deepMerge, {}) as ConfigOverrides,
    events,
  });
  const live = ownLive?.(project) ?? project.live;
  const deps = { ...project, live, ready: async () => true };
  const app = createApp(deps);
  if (!undescribed) app.middleware.unshift(checkDescribed(deps, hostile !== true));
  const server = await listen(app, { host: '127.0.0.1', port });
  const close = async (): Promise<void> => {
    live.close();
    await server.drain(1000);
    await settled(project.store);
    // An engine of its own is removed with its folder.
    if (!beside && given !== null) await project.store.db.dropDatabase();
    await project.close();
    await rm(folder, { recursive: true, force: true });
  };
  const database = withName(project.databaseUri, name);
  return { url: `http://127.0.0.1:${server.port}`, project, schemaFolder, database, emails, close };
};
