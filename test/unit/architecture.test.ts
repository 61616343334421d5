import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  circlesIn,
  codeOf,
  importsOf,
  longParameterLists,
  targetIn,
} from '../../packages/engine/test/support/imports.js';

/** What each module may import from; arrows go one way (docs/architecture.md). */
const MODULES: Record<string, readonly string[]> = {
  values: [],
  'print-value': [],
  'error-codes': [],
  errors: ['error-codes', 'print-value'],
  'query-types': [],
  client: ['query-types'],
  limits: ['errors'],
  events: ['values'],
  terminal: ['errors', 'schema', 'config'],
  schema: ['errors'],
  config: ['errors', 'schema'],
  'code-scan': ['errors'],
  query: ['errors', 'schema', 'config'],
  pipeline: ['errors', 'schema', 'query'],
  render: ['errors', 'schema', 'query', 'pipeline'],
  store: ['errors', 'schema', 'config', 'query', 'pipeline'],
  documents: ['query-types', 'errors', 'schema', 'config', 'query', 'pipeline', 'render', 'store'],
  media: ['errors', 'schema', 'config', 'query', 'store', 'documents'],
  access: ['errors', 'schema', 'config', 'query', 'store', 'documents'],
  describe: ['errors', 'schema', 'config', 'query', 'pipeline', 'store', 'documents'],
  mcp: ['describe', 'errors', 'schema', 'config', 'query', 'store', 'documents'],
  webhooks: ['errors', 'values', 'schema', 'config', 'query', 'store', 'documents'],
  live: ['errors', 'values', 'schema', 'config', 'query', 'store', 'documents', 'access'],
  scheduled: ['errors', 'store', 'documents'],
  adopt: ['errors', 'values', 'schema', 'code-scan', 'store'],
  transfer: ['errors', 'values', 'schema', 'config', 'query', 'store', 'documents', 'media', 'access'],
  seed: ['errors', 'schema', 'config', 'store', 'documents', 'media', 'transfer'],
  migrate: ['errors', 'schema', 'config', 'query', 'store', 'documents'],
  'project-code': [
    'errors',
    'schema',
    'config',
    'code-scan',
    'store',
    'documents',
    'describe',
    'media',
    'access',
  ],
  strapi: ['errors', 'schema', 'config', 'code-scan', 'query', 'store', 'documents', 'media', 'access'],
  http: [
    'live',
    'strapi',
    'describe',
    'mcp',
    'project-code',
    'errors',
    'schema',
    'config',
    'query',
    'pipeline',
    'render',
    'store',
    'documents',
    'media',
    'access',
  ],
};
/** The modules of the store, each with those that it may import. */
const STORE_MODULES: Record<string, readonly string[]> = {
  connection: [],
  leases: ['connection'],
  reads: ['connection'],
  outbox: ['connection'],
  webhooks: ['connection'],
  entries: ['connection', 'reads', 'outbox'],
  writes: ['connection', 'leases', 'outbox', 'entries'],
  history: ['connection', 'outbox', 'entries', 'writes'],
  access: ['connection'],
  indexes: ['connection'],
  adopted: ['connection', 'indexes', 'outbox', 'entries'],
  transfer: ['connection', 'entries'],
  client: ['connection'],
  doctor: ['connection', 'indexes', 'client', 'unsupported-routes'],
  locales: ['connection'],
  'code-values': ['connection'],
  'unsupported-routes': ['connection'],
  'account-settings': ['connection'],
  gridfs: [],
};
/** The modules of imports and exports. */
const TRANSFER_MODULES: Record<string, readonly string[]> = {
  source: [],
  archive: ['source'],
  strapi: ['source', 'archive'],
  strapi3: ['source'],
  schemas: ['source'],
  run: ['source'],
  resolve: ['source', 'run'],
  write: ['source', 'run'],
  verify: ['source', 'archive', 'run'],
  import: ['source', 'run', 'resolve', 'write', 'verify'],
  export: ['source', 'archive'],
};
/** The modules of the documents, in the order in which a write goes through them. */
const DOCUMENTS_MODULES: Record<string, readonly string[]> = {
  read: [],
  plan: [],
  resolve: ['plan'],
  validate: ['plan', 'resolve'],
  relations: ['plan', 'resolve'],
  claims: ['plan', 'relations'],
  entry: ['plan', 'relations'],
  'in-place': ['plan', 'resolve', 'relations', 'claims'],
  history: [],
  commit: ['claims', 'in-place', 'history'],
  operations: ['read', 'plan', 'resolve', 'relations', 'claims', 'entry', 'in-place', 'history', 'commit'],
};
/** The modules of access; `access/operations.ts` lists what they can be asked. */
const ACCESS_MODULES: Record<string, readonly string[]> = {
  identity: [],
  roles: [],
  accounts: ['identity'],
  credentials: ['identity', 'accounts'],
};
/** The modules of the schema; the files at its top are what these and others read. */
const SCHEMA_MODULES: Record<string, readonly string[]> = {
  scalars: [],
  stored: [],
  files: ['scalars'],
  model: ['files', 'scalars', 'stored'],
  check: ['files', 'model', 'scalars', 'stored'],
};
/** The files at the top of these, which their modules share. */
const isEntryPoint = (path: string): boolean => /^(schema|documents|access)\/[^/]+$/.test(path);
/** Allowed along with `errors`: code that may refuse a value may also limit, parse and print it. */
const WITH_ERRORS = ['error-codes', 'events', 'limits', 'print-value', 'values'];
/** Packages that only one module may import. */
const OWNERS: Record<string, readonly string[]> = {
  '@mangrove/engine': ['database', 'cli'],
  mongodb: ['store'],
  koa: ['http', 'app'],
  pino: ['events'],
  'prom-client': ['events'],
};
/** Modules of which others see only one file. */
const ENTRY_POINTS: Record<string, string> = { access: 'access/index.ts' };
/** Folders that few modules of others may import: accounts, tokens and sessions as they are stored. */
const RESERVED: Record<string, readonly string[]> = { 'store/access/': ['store', 'access', 'transfer'] };
/** The files that write to a person or a log directly; all others record events (docs/events.md). */
const WRITERS = new Set([
  // Sends what a project's code writes to the console to stderr.
  'cli/main.ts',
  'events/event-log.ts',
  'terminal/output.ts',
  // The output of a config file goes to stderr.
  'config/files.ts',
]);
const WRITES =
  /\bconsole\b\s*[.,[(}]|\bprocess\.(stdout|stderr|emitWarning)\b|\blogger\s*(\[|\.(trace|debug|info|warn|error|fatal)\b)/;

/** Where the modules are assembled: these may import any. */
const COMPOSITION_ROOTS = new Set([
  'app',
  'main',
  'index',
  'cli',
  'serve',
  'dev',
  'project',
  'database',
  'mongod',
]);

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((f) => f.endsWith('.ts'));
const moduleOf = (file: string): string => (file.split('/')[0] ?? '').replace(/\.ts$/, '');

const mayImport = (module: string): readonly string[] => {
  const listed = MODULES[module] ?? [];
  return listed.includes('errors') ? [...listed, ...WITH_ERRORS] : listed;
};

const SOURCES = new Map(files.map((file) => [file, readFileSync(join('src', file), 'utf8')] as const));
const IMPORTS = new Map([...SOURCES].map(([file, text]) => [file, importsOf(text)] as const));

/** What is wrong with an import, without its file. */
function* faultsOf(file: string, from: string): Generator<string> {
  const module = moduleOf(file);
  const path = targetIn('', file, from);
  const target = path === undefined ? module : moduleOf(path);
  if (target === '..') yield 'is outside src';
  if (target !== module && !COMPOSITION_ROOTS.has(module) && !mayImport(module).includes(target))
    yield `${module} may not import ${target}`;
  if (target !== module && ENTRY_POINTS[target] && path !== ENTRY_POINTS[target])
    yield `others may only import ${ENTRY_POINTS[target]}`;
  for (const [folder, modules] of Object.entries(RESERVED))
    if (path?.startsWith(folder) && !modules.includes(module)) yield `${folder} is reserved`;
  if (OWNERS[from]?.includes(module) === false) yield 'the package belongs to other modules';
}

describe('architecture', () => {
  it('files import only what their module may', () => {
    const faults = [...IMPORTS].flatMap(([file, imports]) =>
      imports.flatMap((from) => [...faultsOf(file, from)].map((fault) => `src/${file}: ${from}: ${fault}`)),
    );
    expect(faults).to.eql([]);
    expect(files.length).to.be.above(300);
  });

  it('only the files that may do so write to a person or a log', () => {
    const writing = [...SOURCES].filter(([file, text]) => !WRITERS.has(file) && WRITES.test(codeOf(text)));
    expect(writing.map(([file]) => file)).to.eql([]);
  });

  // A hint that a file holds more than one idea, not a reason to split one.
  it('files have at most 400 lines', () => {
    const long = [...SOURCES].filter(([, text]) => text.split('\n').length > 400);
    expect(long.map(([file]) => file)).to.eql([]);
  });

  // Whatever else names a collection would bypass what `sourcesOf` knows of a type.
  it('pipelines read a content type only through its sources', () => {
    const naming = [...SOURCES].filter(
      ([file, text]) => file.startsWith('pipeline/') && /\b(collectionName\(|storedAs\()/.test(codeOf(text)),
    );
    expect(naming.map(([file]) => file).sort()).to.eql([
      'pipeline/sources/adopted-drafts.ts',
      // The other version of a row that has been read.
      'pipeline/sources/publication.ts',
      'pipeline/sources/sources-of.ts',
      'pipeline/sources/stored.ts',
      'pipeline/sources/to-come.ts',
    ]);
  });

  const importedBy = new Map(
    [...IMPORTS].map(
      ([file, imports]) => [file, imports.flatMap((from) => targetIn('', file, from) ?? [])] as const,
    ),
  );

  it('files do not import each other in a cycle', () => {
    expect(circlesIn(importedBy)).to.eql([]);
  });

  it('folders of a module do not import each other in a cycle', () => {
    const modules = [...new Set(files.filter((file) => file.includes('/')).map(moduleOf))];
    const circles = modules.flatMap((module) => {
      const placeOf = (file: string): string | undefined => {
        const [first, second] = file.split('/');
        return first === module ? second : undefined;
      };
      const places = new Map<string, string[]>();
      for (const [file, targets] of importedBy) {
        const place = placeOf(file);
        if (place === undefined) continue;
        const others = targets.flatMap((target) => placeOf(target) ?? []).filter((other) => other !== place);
        places.set(place, [...(places.get(place) ?? []), ...others]);
      }
      return circlesIn(places).map((circle) => `${module}: ${circle}`);
    });
    expect(circles).to.eql([]);
  });

  for (const [folder, modules] of [
    ['store', STORE_MODULES],
    ['transfer', TRANSFER_MODULES],
    ['schema', SCHEMA_MODULES],
    ['documents', DOCUMENTS_MODULES],
    ['access', ACCESS_MODULES],
  ] as const)
    it(`docs/architecture.md names each folder of ${folder}, and the table above has a row for each module`, () => {
      const page = readFileSync('docs/architecture.md', 'utf8');
      const inside = files
        .filter((file) => file.startsWith(`${folder}/`) && !isEntryPoint(file))
        .map((file) => file.slice(folder.length + 1));
      expect(Object.keys(modules)).to.have.members([...new Set(inside.map(moduleOf))]);
      const folders = new Set(inside.filter((file) => file.includes('/')).map(moduleOf));
      for (const name of folders) expect(page).to.include(`\`${folder}/${name}/\``);
    });

  it('docs/architecture.md has a row for each module', () => {
    const page = readFileSync('docs/architecture.md', 'utf8');
    const modules = page.split('\n## The modules\n')[1]?.split(/\n##+ /)[0] ?? '';
    const folders = new Set(files.filter((file) => file.includes('/')).map(moduleOf));
    for (const module of folders) expect(modules).to.include(`\`${module}/\``);
    const named = [...modules.matchAll(/^\| ((?:`[\w-]+\/`(?:, )?)+)/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([\w-]+)\/`/g)].map(([, module]) => module),
    );
    expect([...folders]).to.include.members(named);
  });

  it('the glossary has each term once', () => {
    const page = readFileSync('docs/architecture.md', 'utf8');
    const glossary = page.split('\n## Glossary\n')[1]?.split('\n## ')[0] ?? '';
    const terms = [...glossary.matchAll(/^\| (?!term|-)([^|]+) \|/gm)].flatMap(([, cell = '']) =>
      cell.split(', '),
    );
    expect(terms.length).to.be.above(20);
    expect(new Set(terms).size).to.equal(terms.length);
  });

  it('functions take at most four parameters', function () {
    this.timeout(180_000);
    const found = [...SOURCES].flatMap(([file, text]) => longParameterLists(file, text));
    expect(found).to.eql([]);
  });

  for (const [folder, modules] of [
    ['store/', STORE_MODULES],
    ['transfer/', TRANSFER_MODULES],
    ['schema/', SCHEMA_MODULES],
    ['documents/', DOCUMENTS_MODULES],
    ['access/', ACCESS_MODULES],
  ] as const)
    it(`files of ${folder} import only what their module there may`, () => {
      const inside = files.filter((file) => file.startsWith(folder) && !isEntryPoint(file));
      const faults = inside.flatMap((file) => {
        const module = moduleOf(file.slice(folder.length));
        const isForbidden = (from: string): boolean => {
          const path = targetIn(folder, file, from);
          if (path === undefined || isEntryPoint(folder + path) || moduleOf(path) === module) return false;
          return modules[module]?.includes(moduleOf(path)) !== true;
        };
        return (IMPORTS.get(file) ?? []).filter(isForbidden).map((from) => `src/${file}: ${from}`);
      });
      expect(inside).to.not.eql([]);
      expect(faults).to.eql([]);
    });
});
