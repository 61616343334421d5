/** `Idempotency-Key` on routes around which a Strapi project has code. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Serving, startServing } from '../../src/serve/index.js';
import { dropWhenDone, testDatabase } from '../strapi-code/support.js';
import { typeFile } from '../support/schemas.js';
import { type Received, send } from '../support/send.js';
import { writeFiles } from '../support/write-files.js';

const NOTE = 'api::note.note';
const KEY = '8e03978e-40d5-43dd-bc93-6894a57f9324';
const seen: string[] = [];

for (const compat of [null, 'v4'] as const)
  describe(`idempotency keys around a Strapi project's code, compat ${compat}`, function () {
    this.timeout(180_000);
    let root: string;
    let serving: Serving;
    before(async () => {
      seen.length = 0;
      Object.assign(globalThis, { keySeen: seen });
      root = await mkdtemp(join(tmpdir(), 'mangrove-strapi-keys-'));
      await writeFiles(root, {
        'src/api/note/content-types/note/schema.json': typeFile('note', { title: { type: 'string' } })
          .content,
        'src/api/note/content-types/note/lifecycles.js':
          "module.exports = { beforeCreate() { globalThis.keySeen.push('lifecycle'); } };",
        'src/api/note/routes/note.js': `const { createCoreRouter } = require('@strapi/strapi').factories;
        module.exports = createCoreRouter('${NOTE}', { config: { create: { policies: ['gate'] } } });`,
        'src/api/note/services/note.js': `const { createCoreService } = require('@strapi/strapi').factories;
        module.exports = createCoreService('${NOTE}');`,
        'src/api/note/controllers/note.js': `const { createCoreController } = require('@strapi/strapi').factories;
        module.exports = createCoreController('${NOTE}', () => ({
          async create(ctx) {
            globalThis.keySeen.push('controller');
            const answer = await super.create(ctx);
            if (ctx.query.twice) await super.create(ctx);
            return { ...answer, meta: { own: true } };
          },
        }));`,
        'src/api/note/policies/gate.js':
          "module.exports = () => void globalThis.keySeen.push('policy') ?? true;",
      });
      serving = await startServing({
        root,
        overrides: testDatabase({ rest: { compat }, roles: { public: [`${NOTE}.create`] } }),
      });
    });
    after(async () => {
      await dropWhenDone(serving);
      await rm(root, { recursive: true, force: true });
    });

    const post = (key: string, query = ''): Promise<Received> =>
      send(`http://127.0.0.1:${serving.port}`, `/api/notes${query}`, {
        body: { data: { title: key } },
        headers: { 'idempotency-key': key },
      });
    const stored = (title: string) => serving.project.store.db.collection('notes').countDocuments({ title });

    it('a controller is run once, and policies each time', async () => {
      const first = await post(KEY);
      expect([first.status, first.at('meta.own')]).to.eql([compat ? 200 : 201, true]);
      const again = await post(KEY);
      expect([again.status, again.body]).to.eql([first.status, first.body]);
      expect(await stored(KEY)).to.equal(1);
      expect(seen).to.eql(['policy', 'controller', 'lifecycle', 'policy']);
    });

    it('of several writes of a request, the first has the key', async () => {
      const key = `${KEY}-twice`;
      expect((await post(key, '?twice=1')).status).to.equal(compat ? 200 : 201);
      expect(await stored(key)).to.equal(2);
    });
  });
