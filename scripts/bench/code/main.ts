import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { MongoClient } from 'mongodb';
import { start } from '../child.js';
import { fill } from '../fill.js';
import { measure, type Slice, together } from '../load.js';

/**
 * Measures the same list through routes of a Strapi project: without code, with a policy, with a middleware, and with one that
 * looks at the answer. On the deployment that MONGODB_URI names or on the embedded engine:
 *   npm run bench:code -- --connections 32 --seconds 3
 */
const values = new Command('npm run bench:code --')
  .description("Measures routes with a Strapi project's code, on MONGODB_URI or on an embedded engine.")
  .option('--size <number>', 'restaurants', '10000')
  .option('--connections <number>', 'clients at a time', '32')
  .option('--seconds <number>', 'how long each route is asked', '3')
  .parse()
  .opts<{ size: string; connections: string; seconds: string }>();

const ROUTES = {
  'no code': '{}',
  'a policy': '{ policies: [() => true] }',
  'and a middleware': '{ policies: [() => true], middlewares: [(ctx, next) => next()] }',
  'that reads the answer':
    '{ policies: [() => true], middlewares: [async (ctx, next) => { await next(); ctx.state.read = ctx.body.data.length; }] }',
};
const TURNS = 12;
/** Seconds of the first turn, in which what runs most is compiled. */
const WARM_UP = 3;
const DATABASE = 'mangrove_bench_code';

/** The content types of the benchmark as a Strapi project, with one route for each row of the table. */
async function makeProject(root: string): Promise<void> {
  const types = join(process.cwd(), 'scripts', 'bench', 'content-types');
  for (const name of await readdir(types)) {
    const target = name === 'components' ? 'components' : join('api', name, 'content-types', name);
    await cp(join(types, name), join(root, 'src', target), { recursive: true });
  }
  const routes = Object.values(ROUTES).map(
    (config, at) => `{ method: 'GET', path: '/route-${at}', handler: 'restaurant.find', config: ${config} }`,
  );
  const folder = join(root, 'src', 'api', 'restaurant', 'routes');
  await mkdir(folder);
  await writeFile(join(folder, 'restaurant.js'), `module.exports = { routes: [${routes.join(', ')}] };`);
}

const root = await mkdtemp(join(tmpdir(), 'mangrove-bench-'));
await makeProject(root);
const engine = process.env['MONGODB_URI'] ? null : await start('./engine.js', []);
const uri = process.env['MONGODB_URI'] ?? engine?.address ?? '';
const client = await new MongoClient(uri).connect();
await client.db(DATABASE).dropDatabase();
await fill(client.db(DATABASE), Number(values.size), (text) => void process.stderr.write(`${text}\n`));
const server = await start('./code/server.js', [root, uri, DATABASE, join(root, '.data')]);

const names = Object.keys(ROUTES);
const taken = names.map(() => ({ slices: [] as Slice[], cpu: 0 }));
for (let turn = 0; turn <= TURNS; turn += 1)
  for (let place = 0; place < names.length; place += 1) {
    const at = (turn + place) % names.length;
    const sums = taken[at];
    if (!sums) continue;
    const call = { method: 'GET', path: `/api/route-${at}` };
    const before = await server.cpu();
    const seconds = turn === 0 ? WARM_UP : Number(values.seconds) / TURNS;
    const slice = await measure(server.address, () => call, Number(values.connections), seconds);
    const cpu = (await server.cpu()) - before;
    if (turn === 0) continue;
    sums.slices.push(slice);
    sums.cpu += cpu;
  }
process.stdout.write(`${'route'.padEnd(24)}${'requests/s'.padStart(12)}${'CPU ms'.padStart(10)}\n`);
for (const [at, { slices, cpu }] of taken.entries()) {
  const { requests, perSecond } = together(slices);
  const cells = [perSecond.toFixed(0).padStart(12), (cpu / requests).toFixed(2).padStart(10)];
  process.stdout.write(`${(names[at] ?? '').padEnd(24)}${cells.join('')}\n`);
}
await server.stop();
await client.db(DATABASE).dropDatabase();
await client.close();
await engine?.stop();
await rm(root, { recursive: true, force: true });
