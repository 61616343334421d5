import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';

/** What each room may import from; arrows go one way (docs/architecture.md). */
const ROOMS: Record<string, readonly string[]> = {
  values: [],
  'print-value': [],
  'error-codes': [],
  errors: ['error-codes', 'print-value'],
  typed: [],
  client: ['typed'],
  limits: ['errors'],
  events: [],
  embedded: [],
  terminal: ['errors', 'schema', 'config'],
  schema: ['errors'],
  config: ['errors', 'schema'],
  code: ['errors', 'schema'],
  query: ['errors', 'schema', 'config'],
  pipeline: ['errors', 'schema', 'query'],
  render: ['errors', 'schema', 'query', 'pipeline'],
  store: ['errors', 'schema', 'config', 'query', 'pipeline'],
  documents: ['typed', 'errors', 'schema', 'config', 'query', 'pipeline', 'render', 'store'],
  media: ['errors', 'schema', 'config', 'query', 'store', 'documents'],
  access: ['errors', 'schema', 'config', 'query', 'store', 'documents'],
  describe: ['errors', 'schema', 'config', 'query', 'pipeline', 'store', 'documents'],
  mcp: ['describe', 'errors', 'schema', 'config', 'query', 'store', 'documents'],
  adopt: ['errors', 'values', 'schema', 'code', 'store'],
  transfer: ['errors', 'values', 'schema', 'config', 'query', 'store', 'documents', 'media', 'access'],
  seed: ['errors', 'schema', 'config', 'store', 'documents', 'media', 'transfer'],
  migrate: ['errors', 'schema', 'config', 'query', 'store', 'documents'],
  'project-code': ['errors', 'schema', 'config', 'code', 'store', 'documents', 'describe', 'media', 'access'],
  http: [
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
    'code',
  ],
};
const EVALUATORS = ['errors', 'values', 'expressions', 'matching', 'projection', 'aggregation', 'update'];
const KEPT = ['errors', 'values', 'matching', 'storage', 'indexes'];
/** The same for the rooms of the embedded engine: pure evaluators, storage, and the commands on top of both. */
const ENGINE_ROOMS: Record<string, readonly string[]> = {
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
};
/** The rooms of the store, each with those that it may import. */
const STORE_ROOMS: Record<string, readonly string[]> = {
  connection: [],
  runs: ['connection'],
  reads: ['connection'],
  outbox: ['connection'],
  entries: ['connection', 'reads', 'outbox'],
  writes: ['connection', 'runs', 'outbox', 'entries'],
  access: ['connection'],
  indexes: ['connection'],
  adopted: ['connection', 'indexes', 'outbox', 'entries'],
  transfer: ['connection', 'entries'],
  client: ['connection'],
  doctor: ['connection', 'indexes', 'client'],
  locales: ['connection'],
  gridfs: [],
};
/** The rooms of imports and exports. */
const TRANSFER_ROOMS: Record<string, readonly string[]> = {
  source: [],
  archive: ['source'],
  strapi: ['source', 'archive'],
  strapi3: ['source'],
  schemas: ['source'],
  run: ['source'],
  resolve: ['source', 'run'],
  write: ['source', 'run'],
  import: ['source', 'run', 'resolve', 'write'],
  export: ['source', 'archive'],
};
/** The rooms of the documents, in the order in which a write goes through them. */
const DOCUMENTS_ROOMS: Record<string, readonly string[]> = {
  read: [],
  plan: [],
  resolve: ['plan'],
  validate: ['plan', 'resolve'],
  relations: ['plan', 'resolve'],
  claims: ['plan', 'relations'],
  entry: ['plan', 'relations'],
  'in-place': ['plan', 'resolve', 'relations', 'claims'],
  commit: ['claims', 'in-place'],
  operations: ['read', 'plan', 'resolve', 'relations', 'claims', 'entry', 'in-place', 'commit'],
};
/** The rooms of access; `access/operations.ts` lists what they can be asked. */
const ACCESS_ROOMS: Record<string, readonly string[]> = {
  identity: [],
  roles: [],
  accounts: ['identity'],
  credentials: ['identity', 'accounts'],
};
/** The rooms of the schema; the files at its top are what these and others read. */
const SCHEMA_ROOMS: Record<string, readonly string[]> = {
  scalars: [],
  stored: [],
  files: ['scalars'],
  model: ['files', 'scalars', 'stored'],
  check: ['files', 'model', 'scalars', 'stored'],
};
/** The files at the top of these, which their rooms share. */
const isFace = (path: string): boolean => /^(schema|documents|access)\/[^/]+$/.test(path);
/** Allowed along with `errors`: code that may refuse a value may also limit, parse and print it. */
const WITH_ERRORS = ['error-codes', 'events', 'limits', 'print-value', 'values'];
/** Packages that only one room may import. */
const OWNERS: Record<string, readonly string[]> = {
  mongodb: ['store'],
  koa: ['http', 'app'],
  lmdb: ['embedded'],
  pino: ['events'],
};
/** Rooms of which others see only one file. */
const FACES: Record<string, string> = { access: 'access/index.ts' };
/** Folders that few rooms of others may import: accounts, tokens and sessions as they are stored. */
const RESERVED: Record<string, readonly string[]> = { 'store/access/': ['store', 'access', 'transfer'] };
/** The files that write to a person or a log directly; all others record events (docs/events.md). */
const WRITERS = new Set([
  'events/event-log.ts',
  'terminal/output.ts',
  // The output of a config file goes to stderr.
  'config/files.ts',
]);
const WRITES =
  /\bconsole\b\s*[.,[(}]|\bprocess\.(stdout|stderr|emitWarning)\b|\blogger\s*(\[|\.(trace|debug|info|warn|error|fatal)\b)/;

/** Where the rooms are assembled: these may import any. */
const ROOFS = new Set(['app', 'main', 'index', 'cli', 'serve', 'dev', 'project', 'database', 'mongod']);

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((f) => f.endsWith('.ts'));
const roomOf = (file: string): string => (file.split('/')[0] ?? '').replace(/\.ts$/, '');

const importsOf = (text: string): string[] =>
  [...text.matchAll(/^(?:import|export)\b[^;]*?from '([^']+)'/gm)].map(([, from = '']) => from);

/** The file within a folder that an import leads to; undefined if it is outside. */
function targetIn(folder: string, file: string, from: string): string | undefined {
  if (!from.startsWith('.')) return undefined;
  const target = normalize(join(file, '..', from)).replace(/\.js$/, '.ts');
  return target.startsWith(folder) ? target.slice(folder.length) : undefined;
}

/** Without comments and strings, such as the files that `init` writes. */
const codeOf = (text: string): string =>
  text
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/(^|\s)\/\/.*$/gm, '')
    .replaceAll(/`(?:\\.|[^`\\])*`|'(?:\\.|[^'\\\n])*'/g, '""');

const mayImport = (room: string): readonly string[] => {
  const listed = ROOMS[room] ?? [];
  return listed.includes('errors') ? [...listed, ...WITH_ERRORS] : listed;
};

/** Those that reach themselves, each with the path that it takes. */
function circlesIn(arrows: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (at: string, way: readonly string[]): void => {
    if (way.includes(at)) circles.push([...way.slice(way.indexOf(at)), at].join(' → '));
    else if (!done.has(at)) {
      for (const next of arrows.get(at) ?? []) visit(next, [...way, at]);
      done.add(at);
    }
  };
  for (const start of arrows.keys()) visit(start, []);
  return circles;
}

describe('architecture', () => {
  for (const file of files) {
    it(`src/${file} imports only what its room may`, () => {
      const room = roomOf(file);
      const text = readFileSync(join('src', file), 'utf8');
      for (const from of importsOf(text)) {
        const path = targetIn('', file, from);
        const target = path === undefined ? room : roomOf(path);
        if (target !== room && !ROOFS.has(room)) expect(mayImport(room), from).to.include(target);
        if (target !== room && FACES[target]) expect(path, from).to.equal(FACES[target]);
        for (const [folder, rooms] of Object.entries(RESERVED))
          if (path?.startsWith(folder)) expect(rooms, from).to.include(room);
        const owners = OWNERS[from];
        if (owners) expect(owners, from).to.include(room);
      }
      if (!WRITERS.has(file)) expect(codeOf(text)).to.not.match(WRITES);
      // A hint that a file holds more than one idea, not a reason to split one.
      expect(text.split('\n').length, 'lines').to.be.at.most(400);
    });
  }

  const product = files.filter((file) => !file.startsWith('embedded/'));
  const importedBy = new Map(
    product.map((file) => {
      const targets = importsOf(readFileSync(join('src', file), 'utf8')).flatMap(
        (from) => targetIn('', file, from) ?? [],
      );
      return [file, targets] as const;
    }),
  );

  it('files do not import each other in a cycle', () => {
    expect(circlesIn(importedBy)).to.eql([]);
  });

  for (const room of new Set(product.filter((file) => file.includes('/')).map(roomOf)))
    it(`folders of src/${room} do not import each other in a cycle`, () => {
      const placeOf = (file: string): string | undefined => {
        const [first, second] = file.split('/');
        return first === room ? second : undefined;
      };
      const places = new Map<string, string[]>();
      for (const [file, targets] of importedBy) {
        const place = placeOf(file);
        if (place === undefined) continue;
        const others = targets.flatMap((target) => placeOf(target) ?? []).filter((other) => other !== place);
        places.set(place, [...(places.get(place) ?? []), ...others]);
      }
      expect(circlesIn(places)).to.eql([]);
    });

  for (const [folder, rooms] of [
    ['store', STORE_ROOMS],
    ['transfer', TRANSFER_ROOMS],
    ['schema', SCHEMA_ROOMS],
    ['documents', DOCUMENTS_ROOMS],
    ['access', ACCESS_ROOMS],
  ] as const)
    it(`docs/architecture.md has a row for each room of ${folder}`, () => {
      const page = readFileSync('docs/architecture.md', 'utf8');
      const section = page.split(`\n### Inside \`${folder}/\`\n`)[1]?.split(/\n##+ /)[0] ?? '';
      const named = [...section.matchAll(/^\| `(\w+)\/([\w-]+)(?:\/|\.ts)`/gm)].map(([, , room]) => room);
      const inside = files.filter((file) => file.startsWith(`${folder}/`) && !isFace(file));
      expect(named).to.have.members([
        ...new Set(inside.map((file) => roomOf(file.slice(folder.length + 1)))),
      ]);
      expect(named).to.have.members(Object.keys(rooms));
    });

  it('docs/architecture.md has a row for each room', () => {
    const page = readFileSync('docs/architecture.md', 'utf8');
    const rooms = page.split('\n## The rooms\n')[1]?.split(/\n##+ /)[0] ?? '';
    const folders = new Set(files.filter((file) => file.includes('/')).map(roomOf));
    for (const room of folders) expect(rooms).to.include(`\`${room}/\``);
    const named = [...rooms.matchAll(/^\| ((?:`[\w-]+\/`(?:, )?)+)/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([\w-]+)\/`/g)].map(([, room]) => room),
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
    const found: string[] = [];
    const look = (file: string, source: ts.SourceFile, node: ts.Node): void => {
      if (ts.isFunctionLike(node) && node.parameters.length > 4)
        found.push(`${file}:${source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1}`);
      ts.forEachChild(node, (inner) => look(file, source, inner));
    };
    for (const file of files) {
      const source = ts.createSourceFile(
        file,
        readFileSync(join('src', file), 'utf8'),
        ts.ScriptTarget.Latest,
      );
      ts.forEachChild(source, (node) => look(file, source, node));
    }
    expect(found).to.eql([]);
  });

  for (const [folder, rooms] of [
    ['embedded/', ENGINE_ROOMS],
    ['store/', STORE_ROOMS],
    ['transfer/', TRANSFER_ROOMS],
    ['schema/', SCHEMA_ROOMS],
    ['documents/', DOCUMENTS_ROOMS],
    ['access/', ACCESS_ROOMS],
  ] as const)
    for (const file of files.filter((path) => path.startsWith(folder) && !isFace(path)))
      it(`src/${file} imports only what its room of ${folder} may`, () => {
        const room = roomOf(file.slice(folder.length));
        for (const from of importsOf(readFileSync(join('src', file), 'utf8'))) {
          const path = targetIn(folder, file, from);
          if (path !== undefined && !isFace(folder + path) && roomOf(path) !== room)
            expect(rooms[room] ?? [], from).to.include(roomOf(path));
        }
      });

  it('the files of the bundle start with modules that exist', () => {
    const named = readFileSync('scripts/bundle.mjs', 'utf8').matchAll(/^ {2}'([\w/-]+)',$/gm);
    const beginnings = Array.from(named, ([, name]) => `${name}.ts`);
    expect(beginnings).to.include('main.ts');
    expect(files).to.include.members(beginnings);
  });

  it('rooms of the engine do not reach each other', () => {
    const reach = (room: string, seen: Set<string>): Set<string> => {
      for (const next of ENGINE_ROOMS[room] ?? []) {
        if (!seen.has(next)) reach(next, seen.add(next));
      }
      return seen;
    };
    for (const room of Object.keys(ENGINE_ROOMS)) expect([...reach(room, new Set())]).to.not.include(room);
  });
});
