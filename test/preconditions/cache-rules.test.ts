/** Rules of `rest.cacheControl` that have no effect are reported by the start, and by `mangrove check`. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createEventLog } from '../../src/events/event-log.js';
import { type AppEvent, messageOf } from '../../src/events/events.js';
import { startServing } from '../../src/serve/index.js';
import { mangrove } from '../support/run-command.js';
import { typeFile } from '../support/schemas.js';
import { writeFiles } from '../support/write-files.js';

const POST = 'api::post.post';
const cacheControl = {
  [`${POST}.find`]: { public: 'max-age=60', token: 'max-age=5', writer: 'no-cache', editr: 'no-cache' },
  [`${POST}.findone`]: { public: 'max-age=60' },
  [`${POST}.update`]: {},
  'api::front.front.find': { authenticated: 'no-cache' },
  'api::front.front.findOne': { public: 'no-cache' },
};
const noRead = 'no read of content has this action';
const ACTIONS = [
  `rest.cacheControl › ${POST}.findone: ${noRead}; did you mean "${POST}.findOne"?`,
  `rest.cacheControl › ${POST}.update: ${noRead}; did you mean "${POST}.findOne"?`,
  `rest.cacheControl › api::front.front.findOne: ${noRead}; did you mean "api::front.front.find"?`,
];

describe('rules for caches that have no effect', () => {
  let root: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-cache-'));
    await writeFiles(root, {
      'src/api/post/content-types/post/schema.json': typeFile('post', { title: { type: 'string' } }).content,
      'src/api/front/content-types/front/schema.json': typeFile(
        'front',
        { title: { type: 'string' } },
        { kind: 'singleType' },
      ).content,
      'config/api.json': { rest: { cacheControl } },
      'config/roles.json': { writer: [], editor: [] },
    });
  });
  after(() => rm(root, { recursive: true, force: true }));

  it('are reported by check, without the roles', async () => {
    const { stdout } = await mangrove('check', '--json', '--root', root);
    const { warnings } = JSON.parse(stdout) as { readonly warnings: readonly string[] };
    expect(warnings.filter((text) => text.includes('cacheControl'))).to.have.members(ACTIONS);
  });

  it('are reported by the start', async () => {
    const seen: AppEvent[] = [];
    const log = createEventLog({ level: 'fatal', production: true });
    const events = { ...log, record: (event: AppEvent) => void seen.push(event) };
    const server = await startServing({
      root,
      events,
      env: {},
      overrides: { server: { port: 0 } },
      agreed: true,
    });
    await server.stop();
    const found = seen.flatMap((event) => (event.name === 'cache-rule-unused' ? [event] : []));
    expect(found.map(messageOf)).to.have.members([
      ...ACTIONS,
      `rest.cacheControl › ${POST}.find › editr: there is no such role; did you mean "editor"?`,
    ]);
  });
});
