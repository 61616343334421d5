/** Servers whose data differ only in what one caller may not see. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SEED as RULE_SEED } from '../../../packages/engine/test/support/random.js';
import { contentOf, fill as fillWith } from '../content-copy.js';
import { startTestServer, type TestServer } from '../test-server.js';
import { writeFiles } from '../write-files.js';
import { type Asking, makeCallers } from './callers.js';
import { fill } from './content.js';
import { disguise } from './disguise.js';
import { FILES } from './schemas.js';

export const DOORS = ['native', 'v4', 'v3'] as const;
export type Door = (typeof DOORS)[number];

/** The same content at each door. */
export type World = Readonly<Record<Door, TestServer>>;

export interface Pair {
  readonly asking: Asking;
  readonly left: World;
  readonly right: World;
  /** How many stored documents differ. */
  readonly differ: number;
}

export interface Worlds {
  readonly pairs: readonly Pair[];
  close(): Promise<void>;
}

const SEED = 7;

/** `writes`: only callers with rules, who may write, at the native door. */
export async function openWorlds({ writes = false } = {}): Promise<Worlds> {
  const schemaFolder = await mkdtemp(join(tmpdir(), 'mangrove-schemas-'));
  await writeFiles(schemaFolder, Object.fromEntries(FILES.map(({ file, content }) => [file, content])));
  const servers: TestServer[] = [];
  const open = async (...given: Parameters<typeof startTestServer>): Promise<TestServer> => {
    const [settings, options] = given;
    // `undescribed`: requests name what does not exist, so they are not as described.
    const server = await startTestServer(
      // An answer must not depend on how busy the machine is, nor on the time of sign-ins.
      {
        ...settings,
        server: { mcp: true },
        database: { maxTimeMS: 600_000 },
        plugins: { usersPermissions: { ratelimit: { enabled: false } } },
      },
      { ...options, schemaFolder, undescribed: true },
    );
    servers.push(server);
    return server;
  };
  const worldOf = async (native: TestServer): Promise<World> =>
    writes ? { native, v4: native, v3: native } : { native, ...(await olderDoors(native)) };
  const olderDoors = async (native: TestServer) => ({
    v4: await open({ rest: { compat: 'v4' } }, { beside: native }),
    v3: await open({ rest: { compat: 'v3' } }, { beside: native }),
  });

  const first = await open();
  const callers = await makeCallers(first, RULE_SEED, writes);
  const { owners } = callers;
  const all = callers.all.filter(({ rules }) => !writes || rules);
  await fill(first, owners, SEED);
  const { db, client } = first.project.store;
  const content = await contentOf(db);
  const copied = async (name: string) => {
    const copy = client.db(name);
    await fillWith(copy, content);
    return copy;
  };
  const { databaseUri } = first.project;
  // Writes change the content, so that each caller has its own.
  const shared = writes ? null : await worldOf(first);
  const pairs: Pair[] = [];
  for (const [at, asking] of all.entries()) {
    const name = `${db.databaseName}_${at}`;
    if (!shared) await copied(`${name}_left`);
    const left = shared ?? (await worldOf(await open({}, { databaseUri, name: `${name}_left` })));
    const copy = await copied(name);
    const differ = await disguise({ db: copy, schema: first.project.schema, asking, writes });
    const right = await worldOf(await open({}, { databaseUri, name }));
    pairs.push({ asking, left, right, differ });
  }
  return {
    pairs,
    async close() {
      for (const server of servers.reverse()) await server.close();
      await rm(schemaFolder, { recursive: true, force: true });
    },
  };
}
