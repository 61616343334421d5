/** The differences between a new project in JavaScript and one in TypeScript. */
export interface Language {
  readonly scripts: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly gitignore: readonly string[];
  /** Lines of the Dockerfile that install packages and build the project. */
  readonly dockerInstall: string;
  readonly dockerBuild: string;
  readonly files: Readonly<Record<string, string>>;
}

/**
 * `src/index`: an example of each kind, of which the first is active. The same in both languages, since types
 * are inferred.
 */
const CODE = `import { defineProject } from 'mangrove';

/** The project's own code. docs/project.md of the package explains each part. */
export default defineProject({
  // Routes of your own, below /api. \`action\` is granted in config/roles.js; null opens a route to everyone.
  routes: [
    {
      method: 'GET',
      path: '/articles/latest',
      action: 'api::article.article.latest',
      handler: async (ctx, { documents }) => ({
        data: await documents('api::article.article').findMany({
          fields: ['title', 'slug', 'summary'],
          sort: 'publishedAt:desc',
          limit: 3,
          status: 'published',
        }),
      }),
    },
  ],

  // Checked after the caller's grants; any result but true or undefined is a 403.
  // policies: [{ on: 'api::article.article.delete', check: (ctx, { caller }) => caller.kind === 'user' }],

  // Wraps calls of the Document Service, from REST and from scripts.
  // documents: [
  //   {
  //     uids: ['api::article.article'],
  //     actions: ['create', 'update'],
  //     run: async (context, next, { logger }) => {
  //       logger.info({ uid: context.uid, action: context.action }, 'written');
  //       return next();
  //     },
  //   },
  // ],

  // Scheduled, and run once by all processes that share a database.
  // jobs: {
  //   'nightly-count': {
  //     cron: '0 3 * * *',
  //     run: async ({ documents, logger }) =>
  //       logger.info({ articles: await documents('api::article.article').count({}) }, 'counted'),
  //   },
  // },

  // Koa middleware: first (every request), beforeRoutes (after query and body are parsed), afterRoutes (if no route matched).
  // middlewares: { first: [async (ctx, next) => { await next(); ctx.set('X-Served-By', 'PROJECT_NAME'); }] },

  // In each process, after the database is opened and before the server listens.
  // bootstrap: async ({ logger }) => { logger.info('ready'); },
});
`;

const TEST_BODY = `process.env.PORT = '0';
process.env.MANGROVE_DATA = mkdtempSync(join(tmpdir(), 'PROJECT_NAME-'));
process.env.LOG_LEVEL = 'silent';

test('published articles are public, drafts are not', async () => {
  const { documents, port, close } = await serve();
  try {
    await documents('api::article.article').create({ data: { title: 'Live' }, status: 'published' });
    await documents('api::article.article').create({ data: { title: 'Unfinished' } });
    const response = await fetch(\`http://127.0.0.1:\${port}/api/articles?fields=title\`);
    assert.equal(response.status, 200);
BODY_LINE
    assert.deepEqual(data.map(({ title }) => title), ['Live']);
    assert.equal((await fetch(\`http://127.0.0.1:\${port}/api/articles/latest\`)).status, 200);
  } finally {
    await close();
  }
});
`;

const TEST_IMPORTS = `import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { serve } from 'mangrove';
`;

export const javascript: Language = {
  scripts: { start: 'mangrove serve', dev: 'mangrove dev', check: 'mangrove check', test: 'node --test' },
  devDependencies: {},
  gitignore: ['node_modules/', '.data/', '.env', 'public/uploads/', '*.log'],
  dockerInstall: 'RUN npm install --omit=dev',
  dockerBuild: '',
  files: {
    'src/index.js': CODE,
    'test/articles.test.js': `${TEST_IMPORTS}
${TEST_BODY.replace('BODY_LINE', '    const { data } = await response.json();')}`,
  },
};

export const typescript: Language = {
  scripts: {
    build: 'mangrove types --out src/content.d.ts && tsc',
    prestart: 'npm run build',
    start: 'mangrove serve',
    dev: 'mangrove dev --types src/content.d.ts',
    check: 'mangrove check',
    pretest: 'npm run build',
    test: 'node --test dist/test/',
  },
  devDependencies: { '@types/node': '^20.19.0', typescript: '^5.9.0' },
  gitignore: ['node_modules/', 'dist/', '.data/', '.env', 'public/uploads/', '*.log', 'src/content.d.ts'],
  dockerInstall: 'RUN npm install',
  dockerBuild: 'RUN npm run build && npm prune --omit=dev',
  files: {
    'tsconfig.json': `{
  "compilerOptions": {
    "target": "ES2023",
    "module": "NodeNext",
    "rootDir": ".",
    "outDir": "dist",
    "strict": true,
    "types": ["node"]
  },
  "include": ["src", "test"]
}
`,
    'src/index.ts': CODE,
    'test/articles.test.ts': `${TEST_IMPORTS}
${TEST_BODY.replace('BODY_LINE', '    const { data } = (await response.json()) as { data: { title: string }[] };')}`,
  },
};
