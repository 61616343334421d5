/** What differs between a project in JavaScript and one in TypeScript. */
export interface Language {
  /** Extension of the project's own code. */
  readonly seedFile: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly gitignore: readonly string[];
  /** Lines of the Dockerfile: how packages get in, and what is built. */
  readonly dockerInstall: string;
  readonly dockerBuild: string;
  readonly files: Readonly<Record<string, string>>;
}

const SEED_BODY = `const articlesTYPE = [
  {
    title: 'What lives among the roots',
    slug: 'what-lives-among-the-roots',
    summary: 'A mangrove forest is a nursery: fish, crabs and birds grow up between its stilts.',
    body: [{ type: 'paragraph', children: [{ type: 'text', text: 'Come at low tide and look down.' }] }],
  },
  {
    title: 'Salt, and how to live with it',
    slug: 'salt-and-how-to-live-with-it',
    summary: 'Some trees keep salt out at the root, others sweat it through their leaves.',
    body: [{ type: 'paragraph', children: [{ type: 'text', text: 'Taste a leaf: it is salty.' }] }],
  },
]`;

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
  seedFile: 'scripts/seed.js',
  scripts: { start: 'mangrove serve', dev: 'mangrove dev', check: 'mangrove check', test: 'node --test' },
  devDependencies: {},
  gitignore: ['node_modules/', '.data/', '.env', 'public/uploads/', '*.log'],
  dockerInstall: 'RUN npm install --omit=dev',
  dockerBuild: '',
  files: {
    'scripts/seed.js': `/**
 * Fills an empty database. The first \`npm start\` runs it.
 * @param {import('mangrove').Connection} mangrove
 */
export async function seed({ documents }) {
  for (const data of articles)
    await documents('api::article.article').create({ data, status: 'published' });
}

${SEED_BODY.replace('TYPE', '')};
`,
    'test/articles.test.js': `${TEST_IMPORTS}
${TEST_BODY.replace('BODY_LINE', '    const { data } = await response.json();')}`,
  },
};

export const typescript: Language = {
  seedFile: 'scripts/seed.ts',
  scripts: {
    build: 'mangrove types --out scripts/content.d.ts && tsc',
    prestart: 'npm run build',
    start: 'mangrove serve',
    dev: 'mangrove dev --types scripts/content.d.ts',
    check: 'mangrove check',
    pretest: 'npm run build',
    test: 'node --test dist/test/',
  },
  devDependencies: { '@types/node': '^20.19.0', typescript: '^5.9.0' },
  gitignore: ['node_modules/', 'dist/', '.data/', '.env', 'public/uploads/', '*.log', 'scripts/content.d.ts'],
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
  "include": ["scripts", "test"]
}
`,
    'scripts/seed.ts': `import type { Connection } from 'mangrove';
import type { ArticleInput } from './content.js';

/** Fills an empty database. The first \`npm start\` runs it. */
export async function seed({ documents }: Pick<Connection, 'documents'>): Promise<void> {
  for (const data of articles)
    await documents('api::article.article').create({ data, status: 'published' });
}

${SEED_BODY.replace('TYPE', ': ArticleInput[]')};
`,
    'test/articles.test.ts': `${TEST_IMPORTS}
${TEST_BODY.replace('BODY_LINE', '    const { data } = (await response.json()) as { data: { title: string }[] };')}`,
  },
};
