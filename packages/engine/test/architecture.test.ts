import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import {
  circlesIn,
  codeOf,
  exportedTwice,
  importsOf,
  longParameterLists,
  targetIn,
} from './support/imports.js';

const EVALUATORS = ['errors', 'values', 'expressions', 'matching', 'projection', 'aggregation', 'update'];
const KEPT = ['errors', 'values', 'matching', 'storage', 'indexes'];
/** What each folder of src may import from: pure evaluators, storage, and the commands on top of both. */
const FOLDERS: Record<string, readonly string[]> = {
  errors: [],
  values: ['errors'],
  expressions: ['errors', 'values'],
  matching: ['errors', 'values', 'expressions'],
  projection: ['errors', 'values', 'expressions', 'matching'],
  aggregation: ['errors', 'values', 'expressions', 'matching', 'projection'],
  update: ['errors', 'values', 'expressions', 'matching', 'projection', 'aggregation'],
  options: ['errors', 'values'],
  storage: ['errors', 'values'],
  wire: ['errors', 'values', 'storage'],
  indexes: ['errors', 'values', 'options', 'matching', 'storage'],
  records: KEPT,
  columns: ['values', 'matching', 'storage'],
  planner: [...KEPT, 'columns'],
  sessions: [...KEPT, 'planner'],
  changes: [...KEPT, 'planner', 'aggregation'],
  engine: [...KEPT, 'columns', 'planner', 'sessions', 'changes', 'wire'],
  housekeeping: [...KEPT, 'planner', 'records', 'sessions', 'changes', 'engine'],
  commands: [
    ...EVALUATORS,
    ...KEPT,
    'options',
    'records',
    'planner',
    'sessions',
    'changes',
    'engine',
    'wire',
  ],
  serve: ['errors', 'storage', 'planner', 'wire', 'engine', 'housekeeping', 'commands'],
  'serve-owned': ['storage', 'wire', 'serve'],
  thread: ['errors', 'storage', 'serve', 'serve-owned'],
  index: ['errors', 'values', 'storage', 'planner', 'wire', 'serve-owned', 'thread'],
  main: ['index'],
};
/** Packages that it may import; lmdb in its storage alone. */
const PACKAGES = ['bson', 'lmdb', 'tsx/esm/api'];
/** What writes to a person. */
const WRITERS = new Set(['main.ts']);

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
);
const textOf = (file: string): string => readFileSync(join(ROOT, 'src', file), 'utf8');
const folderOf = (file: string): string => (file.split('/')[0] ?? '').replace(/\.ts$/, '');

describe('the architecture of the engine', () => {
  it('no two files export the same name', () => {
    const sources = new Map(files.map((file) => [file, textOf(file)]));
    expect(exportedTwice(sources)).to.eql([]);
  });

  it('each file imports only what its folder may, and nothing outside src', () => {
    const wrong = files.flatMap((file) => {
      const allowed = [folderOf(file), ...(FOLDERS[folderOf(file)] ?? [])];
      return importsOf(textOf(file))
        .filter((from) => {
          if (!from.startsWith('.')) return !from.startsWith('node:') && !PACKAGES.includes(from);
          return !allowed.includes(folderOf(targetIn('', file, from) ?? '..'));
        })
        .map((from) => `${file}: ${from}`);
    });
    expect(wrong).to.eql([]);
    const lmdb = files.filter((file) => importsOf(textOf(file)).includes('lmdb'));
    expect(lmdb.filter((file) => folderOf(file) !== 'storage')).to.eql([]);
  });

  it('folders do not import each other in a cycle', () => {
    expect([...new Set(files.map(folderOf))]).to.have.members(Object.keys(FOLDERS));
    expect(circlesIn(new Map(Object.entries(FOLDERS)))).to.eql([]);
  });

  it('files do not import each other in a cycle, types included', () => {
    const imports = files.map((file): [string, string[]] => [
      file,
      importsOf(textOf(file)).flatMap((from) => targetIn('', file, from) ?? []),
    ]);
    expect(circlesIn(new Map(imports))).to.eql([]);
  });

  it('files keep no variables of their own but counters and the operation that is being evaluated', () => {
    const counters = ['records/records.ts', 'wire/message.ts', 'wire/server.ts'];
    const found = files.filter((file) => /^(export )?let /m.test(textOf(file)));
    expect(found).to.have.members([...counters, 'values/work.ts']);
  });

  it('is silent', () => {
    const loud = /\bconsole\b\s*[.,[(}]|\bprocess\.(stdout|stderr|emitWarning)\b/;
    expect(files.filter((file) => !WRITERS.has(file) && loud.test(codeOf(textOf(file))))).to.eql([]);
  });

  it('files have at most 400 lines, a hint that one holds more than one idea', () => {
    expect(files.filter((file) => textOf(file).split('\n').length > 400)).to.eql([]);
  });

  it('functions take at most four parameters', () => {
    expect(files.flatMap((file) => longParameterLists(file, textOf(file)))).to.eql([]);
  });

  it('what it depends on is what a packed Mangrove, which brings it along, depends on', () => {
    const dependenciesOf = (path: string): Record<string, string> =>
      JSON.parse(readFileSync(join(ROOT, path), 'utf8')).dependencies;
    expect(dependenciesOf('../../package.json')).to.include(dependenciesOf('package.json'));
  });
});
