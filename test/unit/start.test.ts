/** What is loaded at startup: the rest waits until it is used (docs/performance.md). */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';
import { writeFiles } from '../support/write-files.js';

/** Modules that a file imports for their values when it is loaded. */
function importsOf(file: string): string[] {
  const { statements } = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  return statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const { moduleSpecifier: from } = statement;
    if (!from || !ts.isStringLiteral(from)) return [];
    const clause = ts.isImportDeclaration(statement) ? statement.importClause : statement;
    if (clause?.isTypeOnly) return [];
    const names = clause && ts.isImportClause(clause) ? clause.namedBindings : undefined;
    const isOnlyTypes =
      names !== undefined &&
      (clause as ts.ImportClause).name === undefined &&
      ts.isNamedImports(names) &&
      names.elements.length > 0 &&
      names.elements.every(({ isTypeOnly }) => isTypeOnly);
    return isOnlyTypes ? [] : [from.text];
  });
}

/** Files below src, and packages, that are loaded with a file. */
function loadedBy(entry: string): { readonly files: string[]; readonly packages: string[] } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const load = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    for (const name of importsOf(file))
      if (name.startsWith('.')) load(join(dirname(file), name).replace(/\.js$/, '.ts'));
      else if (!name.startsWith('node:')) packages.add(name);
  };
  load(entry);
  return { files: [...files].map((file) => relative('src', file)), packages: [...packages].sort() };
}

describe('startup', () => {
  it('loads the packages that every request needs, and no others', () => {
    const { files, packages } = loadedBy('src/serve/index.ts');
    expect(packages).to.deep.equal(
      [
        '@koa/cors',
        '@koa/router',
        'bson',
        'helmet',
        'koa',
        'lru-cache',
        'mime-types',
        'mongodb',
        'pino',
        'qs',
      ].sort(),
    );
    const modules = new Set(files.map((file) => file.split('/')[0]));
    expect([...modules])
      .to.include('documents')
      .and.not.include.oneOf(['transfer', 'adopt', 'dev']);
  });

  it('loads none of them in a process that only supervises others', () => {
    const { files } = loadedBy('src/serve/workers/primary.ts');
    expect(files.filter((file) => /^(http|documents|access)\//.test(file))).to.deep.equal([]);
  });

  it('loads the engine in its thread only', () => {
    const { files, packages } = loadedBy('packages/engine/src/index.ts');
    expect(files.filter((file) => /aggregation|matching|commands/.test(file))).to.deep.equal([]);
    expect(packages).to.deep.equal([]);
  });
});

describe('npm start', () => {
  let root: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-build-'));
    await writeFiles(root, {
      'src/a.ts': 'export {};',
      'src/http/docs/assets/page.html': '<p>',
      'package.json': { type: 'module' },
      // Copies the sources, lists them, and logs each time that it is run.
      'node_modules/typescript/package.json': { type: 'commonjs' },
      'node_modules/typescript/bin/tsc': `const fs = require('node:fs');
        const { join, resolve } = require('node:path');
        for (const name of fs.readdirSync('src', { recursive: true }).filter((name) => name.endsWith('.ts'))) {
          fs.cpSync(join('src', name), join('dist/src', name.replace('.ts', '.js')));
          console.log(resolve('src', name));
        }
        fs.writeFileSync('dist/.tsbuildinfo', '');
        fs.appendFileSync('runs', 'x');`,
    });
    for (const name of ['swagger-ui-bundle.js', 'swagger-ui.css', 'LICENSE', 'NOTICE'])
      await writeFiles(root, { [`node_modules/swagger-ui-dist/${name}`]: '-' });
    for (const file of ['scripts/build.mjs', 'tsconfig.build.json']) await cp(file, join(root, file));
  });
  after(() => rm(root, { recursive: true, force: true }));

  const build = async (...options: readonly string[]): Promise<number> => {
    const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/build.mjs'), ...options]);
    expect(status, String(stderr)).to.equal(0);
    return (await readFile(join(root, 'runs'), 'utf8')).length;
  };

  it('compiles only if a source has changed since', async () => {
    expect(await build('--if-changed')).to.equal(1);
    expect(await build('--if-changed')).to.equal(1);
    await utimes(join(root, 'src/a.ts'), new Date(), new Date(Date.now() + 5000));
    expect(await build('--if-changed')).to.equal(2);
    await writeFiles(root, { 'src/b.ts': 'export {};' });
    expect(await build('--if-changed')).to.equal(3);
    expect(await build('--if-changed')).to.equal(3);
    expect(await build()).to.equal(4);
    expect(existsSync(join(root, 'dist/src/http/docs/assets/page.html'))).to.equal(true);
  });

  it('leaves nothing of sources that were deleted', async () => {
    const built = () => readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' }).sort();
    await build();
    const before = built();
    await writeFiles(root, {
      'src/gone/c.ts': 'export {};',
      'src/http/docs/assets/old.html': '<p>',
      'dist/src/parts/d.js': '',
    });
    await build('--if-changed');
    expect(built()).to.include.members(['src/gone/c.js', 'src/http/docs/assets/old.html']);
    await rm(join(root, 'src/gone'), { recursive: true });
    await rm(join(root, 'src/http/docs/assets/old.html'));
    await build('--if-changed');
    expect(built()).to.eql(before);
  });
});
