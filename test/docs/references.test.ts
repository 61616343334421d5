import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { createProgram } from '../../src/cli/program.js';

const filesIn = (folder: string, pattern: RegExp): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => pattern.test(file) && !file.startsWith('conformance'))
    .map((file) => join(folder, file));
const ENGINE = 'packages/engine';
const pages = [
  'README.md',
  ...filesIn('docs', /\.md$/),
  `${ENGINE}/README.md`,
  ...filesIn(`${ENGINE}/docs`, /\.md$/),
];
/** The package that a file belongs to, from which its paths begin. */
const homeOf = (file: string): string => (file.startsWith(ENGINE) ? ENGINE : '.');
const sources = [
  'src',
  'test',
  'scripts',
  ...['src', 'test', 'scripts'].map((folder) => `${ENGINE}/${folder}`),
].flatMap((folder) => filesIn(folder, /\.(?:ts|mjs|sh)$/));
const read = (file: string): string => readFileSync(file, 'utf8');
const matches = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, found = '']) => found);

/** The anchor of a heading, as GitHub generates it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
const anchorsOf = (page: string): string[] => matches(read(page), /^#{1,6} (.+)$/gm).map(anchorOf);

describe('the documentation', () => {
  for (const page of pages)
    it(`${page}: every link to another page or section has a target`, () => {
      const links = matches(read(page), /\]\((?!https?:)([^)\s]+)\)/g);
      const lost = links.filter((link) => {
        const [path = '', anchor] = link.split('#');
        const target = path === '' ? page : join(dirname(page), path);
        return !existsSync(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
      });
      expect(lost).to.eql([]);
    });

  // src/api, src/components and src/extensions are folders of a Strapi project.
  for (const page of pages)
    it(`${page}: every path in the repository that it names exists`, () => {
      const named = matches(
        read(page),
        /`((?:src|test|docs|scripts|packages|\.ci)\/(?!api|components|extensions)[\w./-]*)`/g,
      );
      const isThere = (path: string): boolean =>
        [path, `${path}.ts`].some((name) => existsSync(join(homeOf(page), name)));
      expect(named.filter((path) => !isThere(path))).to.eql([]);
    });

  it('docs/architecture.md: every file and folder that it names exists', () => {
    const text = read('docs/architecture.md');
    const named = [
      ...matches(text, /`((?:[a-z-]+\/)*[a-z-]+\.ts)`/g),
      ...matches(text, /`((?:[a-z-]+\/)+)`/g),
      ...matches(text, /^ {2}((?:http|query|store|documents|pipeline|render)\/[a-z/-]*)/gm),
    ];
    const within = ['', 'src', 'src/config', 'src/documents/validate'];
    const isThere = (name: string): boolean =>
      within.some((folder) => existsSync(join(folder, name)) || existsSync(join(folder, `${name}.ts`)));
    expect(named.length).to.be.above(40);
    expect(named.filter((name) => !isThere(name))).to.eql([]);
  });

  it('docs/architecture.md: the glossary has each term once', () => {
    const [, glossary = ''] = read('docs/architecture.md').split('## Glossary');
    const terms = matches(glossary.split('\n## ')[0] ?? '', /^\| ([^|]+?) \|/gm)
      .filter((term) => !/^(?:term|-+)$/.test(term))
      .flatMap((term) => term.split(', '));
    expect(terms.length).to.be.above(15);
    expect(terms).to.eql([...new Set(terms)]);
  });

  it('README.md: every command has a row', () => {
    const commands = createProgram().commands.map((command) => command.name());
    expect(commands.length).to.be.above(20);
    const rows = matches(read('README.md'), /^\| (.*`.*`.*) \|.*\|$/gm).join(' ');
    expect(commands.filter((name) => !new RegExp(`\\b${name}\\b`).test(rows))).to.eql([]);
  });
});

describe('references in code, tests and pages', () => {
  const rules = read('docs/rules.md');
  const sections = new Set(matches(rules, /^#{2,3} ([0-9A-Z](?:\.\d+)?)\.? /gm));
  const differences = new Set(matches(rules.split('### 0.4')[1]?.split('\n## ')[0] ?? '', /^\| (\d+) \|/gm));

  for (const file of [...sources, ...pages]) {
    const text = read(file);
    const cited = matches(text, /\b[Rr]ules? ((?:[0-9A-P](?:\.\d+)?\b(?:,? (?:and|to) |, ?|–)?)+)/g);
    const paths = matches(
      text,
      /\b((?:(?:packages\/engine\/)?docs\/(?:decisions\/)?[\w-]+|test\/conformance\/[A-Z]+)\.md)\b/g,
    );
    if (cited.length + paths.length === 0) continue;
    it(`${file}: every rule and page that it cites exists`, () => {
      const named = cited.flatMap((list) => list.match(/[0-9A-P](?:\.\d+)?\b/g) ?? []);
      // "rules 0.4, 5" and "rules 0.4 row 16" cite a row of the table of differences.
      const lost = named.filter((name) => !sections.has(name) && !differences.has(name));
      const rows = matches(text, /\b[Rr]ules 0\.4,? (?:rows? )?(\d+)/g);
      expect([...lost, ...rows.filter((row) => !differences.has(row))]).to.eql([]);
      expect(paths.filter((path) => !existsSync(path) && !existsSync(join(homeOf(file), path)))).to.eql([]);
    });
  }

  it('code says a rule itself, not its number in docs/rules.md', () => {
    const code = sources.filter((file) => file.startsWith('src/'));
    expect(code.length).to.be.above(500);
    expect(code.filter((file) => /\b[Rr]ules? (?:0\.4|[A-P](?:\.\d+)?\b)/.test(read(file)))).to.eql([]);
  });

  it('name no document outside the repository', () => {
    const outside = /\b(?:SPEC|DESIGN|ENGINES|CRAFT|FINDINGS)(?:\.md)?\b/g;
    const self = join('test', 'docs', 'references.test.ts');
    const found = [...sources, ...pages]
      .filter((file) => file !== self)
      .flatMap((file) => (read(file).match(outside) ?? []).map((name) => `${file}: ${name}`));
    expect(found).to.eql([]);
  });
});
