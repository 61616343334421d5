/**
 * Records the answers of a real Strapi to the fixture's requests: `npx tsx test/strapi-code/record.mjs <folder>`. The folder has Strapi 5.54 and
 * better-sqlite3 installed; the fixture is copied into it.
 */
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exchange } from './exchange.ts';

const root = resolve(process.argv[2] ?? '.');
await rm(join(root, 'src'), { recursive: true, force: true });
await rm(join(root, '.tmp'), { recursive: true, force: true });
for (const folder of ['src', 'config'])
  await cp(fileURLToPath(new URL(`./project/${folder}`, import.meta.url)), join(root, folder), {
    recursive: true,
  });
await writeFile(
  join(root, 'config', 'database.js'),
  `module.exports = () => ({ connection: { client: 'sqlite', connection: { filename: ${JSON.stringify(join(root, 'data.db'))} }, useNullAsDefault: true } });`,
);
await rm(join(root, 'data.db'), { force: true });
await mkdir(join(root, 'public', 'uploads'), { recursive: true });
process.chdir(root);
Object.assign(process.env, {
  JWT_SECRET: 'a secret for the recorder',
  PORT: '14337',
  NODE_ENV: 'production',
});
const { createStrapi } = createRequire(join(root, 'package.json'))('@strapi/strapi');
const strapi = await createStrapi({ appDir: root, distDir: root, serveAdminPanel: false }).load();
const { public: granted } = createRequire(join(root, 'package.json'))('./config/roles.js');
const role = await strapi.db.query('plugin::users-permissions.role').findOne({ where: { type: 'public' } });
for (const action of granted)
  await strapi.db.query('plugin::users-permissions.permission').create({ data: { action, role: role.id } });
strapi.config.set('server.port', 14337);
await strapi.server.mount();
await new Promise((listening) => strapi.server.httpServer.listen(14337, '127.0.0.1', listening));
const rows = await exchange('http://127.0.0.1:14337');
await writeFile(
  fileURLToPath(new URL('./recorded.json', import.meta.url)),
  `${JSON.stringify(rows, null, 1)}\n`,
);
const utils = Object.keys(createRequire(join(root, 'package.json'))('@strapi/utils')).sort();
await writeFile(
  fileURLToPath(new URL('./utils.json', import.meta.url)),
  `${JSON.stringify(utils, null, 1)}\n`,
);
process.exit(0);
