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

/** Each page with what is wrong there, without those where nothing is. */
const faulty = (files: readonly string[], faultsOf: (file: string) => readonly string[]) =>
  files.map((file) => [file, faultsOf(file)] as const).filter(([, faults]) => faults.length > 0);

describe('the documentation', () => {
  it('every link to another page or section has a target', () => {
    const lost = faulty(pages, (page) =>
      matches(read(page), /\]\((?!https?:)([^)\s]+)\)/g).filter((link) => {
        const [path = '', anchor] = link.split('#');
        const target = path === '' ? page : join(dirname(page), path);
        return !existsSync(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
      }),
    );
    expect(lost).to.eql([]);
    expect(pages.length).to.be.above(30);
  });

  // src/api, src/components, src/extensions and src/plugins are folders of a Strapi project.
  it('every path in the repository that a page names exists', () => {
    const lost = faulty(pages, (page) =>
      matches(
        read(page),
        /`((?:src|test|docs|scripts|packages|\.ci)\/(?!api|components|extensions|plugins)[\w./-]*)`/g,
      ).filter((path) => ![path, `${path}.ts`].some((name) => existsSync(join(homeOf(page), name)))),
    );
    expect(lost).to.eql([]);
  });

  it('docs/architecture.md: every file and folder that it names exists', () => {
    const text = read('docs/architecture.md');
    const named = [
      ...matches(text, /`((?:[a-z-]+\/)*[a-z-]+\.ts)`/g),
      ...matches(text, /`((?:[a-z-]+\/)+)`/g),
      ...matches(text, /^ {2}((?:http|query|store|documents|pipeline|render)\/[a-z/-]*)/gm),
    ];
    const within = ['', 'src', 'src/config', 'src/documents/validate'];
    // What a build makes may not have been made yet.
    const isThere = (name: string): boolean =>
      name.startsWith('dist/') ||
      within.some((folder) => existsSync(join(folder, name)) || existsSync(join(folder, `${name}.ts`)));
    expect(named.length).to.be.above(40);
    expect(named.filter((name) => !isThere(name))).to.eql([]);
  });

  it('README.md: every command has a row', async () => {
    const commands = (await createProgram()).commands.map((command) => command.name());
    expect(commands.length).to.be.above(20);
    const rows = matches(read('README.md'), /^\| (.*`.*`.*) \|.*\|$/gm).join(' ');
    expect(commands.filter((name) => !new RegExp(`\\b${name}\\b`).test(rows))).to.eql([]);
  });
});

describe('references in code, tests and pages', () => {
  const rules = read('docs/rules.md');
  const sections = new Set(matches(rules, /^#{2,3} ([0-9A-Z](?:\.\d+)?)\.? /gm));
  const differences = new Set(matches(rules.split('### 0.4')[1]?.split('\n## ')[0] ?? '', /^\| (\d+) \|/gm));

  it('every rule that a file cites exists', () => {
    let all = 0;
    const lost = faulty([...sources, ...pages], (file) => {
      const text = read(file);
      const lists = matches(text, /\b[Rr]ules? ((?:[0-9A-P](?:\.\d+)?\b(?:,? (?:and|to) |, ?|–)?)+)/g);
      const named = lists.flatMap((list) => list.match(/[0-9A-P](?:\.\d+)?\b/g) ?? []);
      all += named.length;
      // "rules 0.4, 5" and "rules 0.4 row 16" cite a row of the table of differences.
      const rows = matches(text, /\b[Rr]ules 0\.4,? (?:rows? )?(\d+)/g);
      return [
        ...named.filter((name) => !sections.has(name) && !differences.has(name)),
        ...rows.filter((row) => !differences.has(row)),
      ];
    });
    expect(lost).to.eql([]);
    expect(all).to.be.above(100);
  });

  it('every page that a file cites exists', () => {
    let all = 0;
    const lost = faulty([...sources, ...pages], (file) => {
      const paths = matches(
        read(file),
        /\b((?:(?:packages\/engine\/)?docs\/(?:decisions\/)?[\w-]+|test\/conformance\/[A-Z]+)\.md)\b/g,
      );
      all += paths.length;
      return paths.filter((path) => !existsSync(path) && !existsSync(join(homeOf(file), path)));
    });
    expect(lost).to.eql([]);
    expect(all).to.be.above(100);
  });

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
