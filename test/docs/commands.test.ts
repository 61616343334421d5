import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type RunningEngine, startEngine } from '@mangrove/engine';
import { expect } from 'chai';
import type { Command } from 'commander';
import { createProgram } from '../../src/cli/program.js';
import { openProject } from '../../src/project.js';
import { openStore } from '../../src/store/client.js';
import { mangrove } from '../support/run-command.js';
import { typeFile } from '../support/schemas.js';
import { linkMangrove, writeFiles } from '../support/write-files.js';

const PAGES = [
  'README.md',
  ...readdirSync('docs')
    .filter((n) => n.endsWith('.md'))
    .map((n) => `docs/${n}`),
];
const TOOLS = /^(?:npx |npm |mangrove |node |curl |docker |mongosh |mongodump |mongorestore |strapi )/;

interface Example {
  readonly page: string;
  /** As on the page, without its comment. */
  readonly text: string;
  /** A line of a code block, to be typed as it is; otherwise a command in a sentence, which may be shortened. */
  readonly typed: boolean;
}

const examplesOf = (page: string): readonly Example[] => {
  const text = readFileSync(page, 'utf8');
  const lines = [...text.matchAll(/^```(?:sh|bash)\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) =>
    block.split('\n'),
  );
  const typed = lines.map((line) => line.replace(/(?:^|\s+)#.*$/, '').trim()).filter((line) => line !== '');
  const prose = text.replace(/^```[\s\S]*?^```/gm, '');
  const spans = [...prose.matchAll(/`([^`\n]+)`/g)]
    .map(([, span = '']) => span)
    .filter((span) => TOOLS.test(span));
  return [
    ...typed.map((line) => ({ page, text: line, typed: true })),
    ...[...new Set(spans)].map((span) => ({ page, text: span, typed: false })),
  ];
};
const examples = PAGES.flatMap(examplesOf);

/** Words as a shell splits them. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'),
  );

/** The command line after `mangrove`; null for another program's. */
const ownWords = (text: string): string[] | null => {
  const words = wordsOf(text.replace(/^npx /, ''));
  return words[0] === 'mangrove' ? words.slice(1) : null;
};

/** Programs that are not installed here, or that other tests run; what is checked instead. */
const ELSEWHERE: readonly {
  readonly command: RegExp;
  readonly because: string;
  readonly holds?: (found: readonly string[]) => boolean;
}[] = [
  {
    command: /^npm (?:run )?(start|test|check|soak|tables|bench\S*|test:\S+|conformance:serve)\b/,
    because: 'scripts of the repository, run by .ci/run or manually; their existence is checked here',
    holds: ([, name = '']) =>
      name in (JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: object }).scripts,
  },
  {
    command: /^(?:npm (?:install|ci|prune --omit=dev)|npm install && npm start|cd my-content)$/,
    because: 'test/support/package.sh installs and starts a new project in .ci/run',
    holds: () => readFileSync('.ci/run', 'utf8').includes('test/support/package.sh'),
  },
  {
    command: /^npm install (@modelcontextprotocol\/sdk)$/,
    because: 'test/mcp uses the installed one',
    holds: ([, name = '']) =>
      name in
      (JSON.parse(readFileSync('package.json', 'utf8')) as { peerDependencies: object }).peerDependencies,
  },
  {
    command: /^npm create mangrove\b/,
    because: 'the same',
    holds: () => existsSync('scripts/create-mangrove/create.mjs'),
  },
  { command: /^MONGODB_URI=\S+ npm test$/, because: 'the suite itself, on another engine' },
  { command: /^npx mocha (\S+)$/, because: 'the suite itself', holds: ([, path = '']) => existsSync(path) },
  { command: /^\.ci\/run$/, because: 'the suite itself', holds: () => existsSync('.ci/run') },
  {
    command: /^NODE_ENV=production MONGODB_URI=\S+ node dist\/(src\/main)\.js$/,
    because: 'test/cli/process.test.ts starts it',
    holds: ([, path = '']) => existsSync(`${path}.ts`),
  },
  { command: /^node script\.mjs$/, because: 'test/docs/readme.test.ts runs the script' },
  {
    command: /^curl .*localhost:1337\/api\/(?:restaurants|students)\?/,
    because: 'test/docs/readme.test.ts and test/adopt ask for it',
  },
  {
    command: /^curl .*localhost:1337\/api\/openapi\.json > openapi\.json$/,
    because: 'test/clients asks for it, with a token and without',
  },
  {
    command: /^(?:pip install openapi-python-client|openapi-python-client generate .*)$/,
    because: 'test/clients/python.test.ts makes that client',
  },
  { command: /^curl -g '<address>'$/, because: 'the addresses are asked for by test/docs/readme.test.ts' },
  {
    command:
      /^(?:base=https:\S+|for name in students grades; do|curl -s \$base\/\$name\.json \| mongoimport .*|done)$/,
    because:
      'mongoimport is a program of MongoDB and the file is on the net; the same documents are stored by this test',
  },
  {
    command: /^(?:npx )?strapi (?:export|import|openapi generate)\b/,
    because: 'Strapi is not here; test/transfer reads what it writes',
  },
  { command: /^mongodump --uri/, because: 'a program of MongoDB' },
  {
    command: /^npx tsx (scripts\/[\w-]+\.ts)/,
    because: 'run manually, to update pages and recordings',
    holds: ([, path = '']) => existsSync(path),
  },
  { command: /^export MONGODB_URI=\S+$/, because: 'set by this test for what follows' },
];

/** Commands that serve until they are stopped, with the tests that run them. Only their options are checked here. */
const SERVING = /^(?:serve|dev|engine|changes|mcp)$/;

/** In a sentence, without imports. */
const WITHOUT_SOURCE = /^import --mode replace$/;

/** Commands whose exit code is not 0 on success, as their page says. */
const STATUS: readonly (readonly [page: string, command: RegExp, status: number])[] = [
  ['docs/migrations.md', /^migrate status/, 1],
  // Nobody receives it there.
  ['docs/in-time.md', /^webhook test/, 1],
  ['docs/deployment.md', /^indexes drift/, 1],
  // A database without indexes, which is reported.
  ['docs/events.md', /^doctor/, 1],
];

/** Parses a command line as the program does, without running it. */
async function reads(words: readonly string[]): Promise<string | null> {
  const program = await createProgram(words);
  const silence = (command: Command): void => {
    command.exitOverride().configureOutput({ writeErr: () => undefined, writeOut: () => undefined });
    if (command.commands.length === 0) command.action(() => undefined);
    command.commands.forEach(silence);
  };
  silence(program);
  try {
    await program.parseAsync([...words], { from: 'user' });
    return null;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    return code === 'commander.help' || code === 'commander.helpDisplayed' ? null : message;
  }
}

/** A placeholder for something of the reader's. */
const isCutShort = (words: readonly string[]): boolean => words.some((word) => /[<>[\]…]|^DIR$/.test(word));

const PROGRAM = await createProgram();

/** Commands in a sentence without their required arguments are names: the first words of the command line. */
const isName = (words: readonly string[]): boolean => {
  let command: Command | undefined = PROGRAM;
  for (const word of words) {
    if (word.startsWith('-')) break;
    const next: Command | undefined = command?.commands.find(
      (one) => one.name() === word || one.aliases().includes(word),
    );
    if (!next) return command !== undefined && command.registeredArguments.length > 0;
    command = next;
  }
  const options = words.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0]);
  const known = [...(command?.options ?? []), ...PROGRAM.options].map(({ long }) => long);
  return command !== undefined && options.every((option) => known.includes(option));
};

/** The name of a group of commands, `mangrove token`. */
const isGroup = ([word, ...rest]: readonly string[]): boolean =>
  rest.length === 0 && PROGRAM.commands.some((one) => one.name() === word && one.commands.length > 0);

/** The page's types, rules and callers, made once. */
async function asOnPermissions(root: string): Promise<void> {
  if (existsSync(join(root, 'content-types/post'))) return;
  const find = { action: 'api::post.post.find', where: { author: { username: '$caller.username' } } };
  await writeFiles(root, {
    'config/roles.js': `export default { writer: [${JSON.stringify(find)}] };`,
    'content-types/post/schema.json': typeFile('post', {
      title: { type: 'string' },
      body: { type: 'text' },
      approved: { type: 'boolean' },
      author: { type: 'relation', relation: 'manyToOne', target: 'plugin::users-permissions.user' },
    }).content,
  });
  const project = await openProject({ root, env: {} });
  const { users, roles } = project.access;
  await roles.create({ type: 'reviewer', grants: [] });
  await users.make({
    username: 'ann',
    email: 'ann@example.org',
    password: 'secret word',
    role: (await roles.byType('writer'))?.role.documentId ?? '',
    confirmed: true,
  });
  await project.close();
}

describe('every command in README and docs', function () {
  this.timeout(180_000);
  const name = `commands_${process.pid}`;
  const given = process.env['MONGODB_URI'];
  let folder: string;
  let engine: RunningEngine;
  let other: RunningEngine;
  /** On the page that is about the URI, the project does not set one. */
  let own: RunningEngine;
  const roots = new Map<string, string>();
  /** What a page assumes before a command. */
  const BEFORE: Readonly<Record<string, (root: string) => Promise<void>>> = {
    'docs/migrations.md migrate create rename-title': async (root) => {
      const schema = (attribute: string) => ({
        'content-types/author/schema.json': typeFile('author', { [attribute]: { type: 'string' } }).content,
      });
      await writeFiles(root, schema('title'));
      const project = await openProject({ root, env: {} });
      await project.documents('api::author.author').create({ data: { title: 'one' } });
      await project.close();
      await writeFiles(root, schema('headline'));
    },
    'docs/permissions.md ': asOnPermissions,
    'docs/deployment.md restore backups/today': async () => own.close(),
    'docs/from-strapi.md import backup.tar.gz.enc': async (root) => {
      if (!existsSync(join(root, 'backup.tar.gz.enc')))
        await mangrove(
          '--root',
          root,
          'export',
          '--file',
          join(root, 'backup'),
          '--key',
          'of the page',
          '--encrypt',
        );
    },
  };

  /** A project as a page assumes it, created when the first command of the page is run. */
  const rootOf = async (page: string): Promise<string> => {
    const known = roots.get(page);
    if (known !== undefined) return known;
    const root = await mkdtemp(join(folder, 'page-'));
    roots.set(page, root);
    await linkMangrove(root);
    if (page === 'docs/on-mongodb.md') {
      await writeFiles(root, {
        'config/database.json': { uri: engine.uri, name: `${name}_school` },
        'src/models/thing.js': `require('mongoose').model('Thing', { name: String });`,
      });
      // What the models need, and what the process needs that loads them from the source of the command.
      for (const name of ['mongoose', 'tsx'])
        await symlink(resolve('node_modules', name), join(root, 'node_modules', name));
      const store = await openStore({ uri: engine.uri, name: `${name}_school` });
      const ids = Array.from({ length: 60 }, (_, at) => at);
      await store.db
        .collection('students')
        .insertMany(
          ids.map((_id) => ({ _id: _id as never, name: `S${_id}`, scores: [{ type: 'exam', score: 1.5 }] })),
        );
      await store.db
        .collection('grades')
        .insertMany(
          ids.map((at) => ({ student_id: at % 50, class_id: at % 30, scores: [{ type: 'quiz', score: 1 }] })),
        );
      await store.close();
      return root;
    }
    await cp('content-types', join(root, 'content-types'), { recursive: true });
    await cp('config', join(root, 'config'), { recursive: true });
    await rm(join(root, 'config/database.js'));
    const isOwnEngine = page === 'docs/deployment.md';
    await writeFiles(root, {
      'config/database.json': isOwnEngine
        ? { dataDir: join(folder, 'own') }
        : { uri: engine.uri, name: `${name}_${roots.size}` },
      'content-types/author/schema.json': typeFile('author', { name: { type: 'string', unique: true } })
        .content,
      'seeds/authors.csv': 'name\nAnn\n',
      'seeds/articles.ndjson': '{"title":"One","slug":"one","excerpt":"One"}\n',
      'export.json': [{ title: 'Two', slug: 'two', excerpt: 'Two' }],
      'body.json': { data: { title: 'Three' } },
    });
    return root;
  };

  before(async () => {
    delete process.env['MONGODB_URI'];
    folder = await mkdtemp(join(tmpdir(), 'mangrove-commands-'));
    await mkdir(join(folder, 'own'));
    engine = await startEngine({ dataDir: join(folder, 'data') });
    own = await startEngine({ dataDir: join(folder, 'own', 'embedded') });
    other = await startEngine({ dataDir: join(folder, 'other') });
  });
  after(async () => {
    if (given !== undefined) process.env['MONGODB_URI'] = given;
    await engine.close();
    await other.close();
    await own.close().catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  });

  /** What replaces the reader's own. */
  const standIn = (word: string, root: string): string => {
    if (/^mongodb:\/\/(?:db1|…)/.test(word)) return other.uri;
    if (word === '$KEY') return 'of the page';
    if (
      /^(?:my-content|backups\/today|backup\.tar\.gz\.enc|seeds(?:\/\S+)?|export\.json|body\.json|src\/models)$/.test(
        word,
      )
    )
      return join(root, word);
    return word === '<url>' ? '/api/articles' : word;
  };

  it('has a test that runs it, or is listed as one that cannot be run here', () => {
    const open = examples.filter(
      ({ text }) => ownWords(text) === null && !ELSEWHERE.some(({ command }) => command.test(text)),
    );
    expect(open.map(({ page, text }) => `${page}: ${text}`)).to.eql([]);
    expect(examples.length).to.be.above(80);
  });

  for (const { page, text, typed } of examples) {
    const words = ownWords(text);
    const elsewhere = ELSEWHERE.find(({ command }) => command.test(text));
    if (!words) {
      if (elsewhere?.holds)
        it(`${page}: ${text} (${elsewhere.because})`, () => {
          expect(elsewhere.holds?.(elsewhere.command.exec(text) ?? [])).to.equal(true);
        });
      continue;
    }
    const [first = ''] = words.filter((word, at) => !word.startsWith('--') && words[at - 1] !== '--root');
    const cut =
      isCutShort(words) ||
      (!typed &&
        (words.includes('../my-strapi') ||
          words.includes('../old-project') ||
          isGroup(words) ||
          WITHOUT_SOURCE.test(words.join(' '))));
    if (!typed && words.length > 0 && isName(words) && cut) {
      it(`${page}: ${text} is a command with these options`, () => expect(isName(words)).to.equal(true));
      continue;
    }
    it(`${page}: ${text}`, async () => {
      const wrong = await reads(words.map((word) => (isCutShort([word]) ? 'x' : word)));
      // A command in a sentence may be named alone.
      if (wrong !== null) return expect(!typed && isName(words), wrong).to.equal(true);
      if (cut || SERVING.test(first)) return;
      const root = await rootOf(page);
      const line = words.join(' ');
      for (const [begins, prepare] of Object.entries(BEFORE))
        if (`${page} ${line}`.startsWith(begins)) await prepare(root);
      const status = STATUS.find(([where, command]) => where === page && command.test(line))?.[2] ?? 0;
      const real = words.map((word) => standIn(word, root));
      const out = real.indexOf('--out') + 1;
      if (out > 0) real[out] = join(root, real[out] ?? '');
      const cwd = process.cwd();
      process.chdir(root);
      const result = await mangrove('--root', root, ...real).finally(() => process.chdir(cwd));
      expect(result.status, `${result.stdout}${result.stderr}`).to.equal(status);
    });
  }
});
