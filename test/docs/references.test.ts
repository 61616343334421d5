import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';

const pages = [
  'README.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file)),
];
const matches = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, found = '']) => found);

describe('the documentation', () => {
  for (const page of pages)
    it(`${page}: every link to another page leads somewhere`, () => {
      const links = matches(readFileSync(page, 'utf8'), /\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g);
      expect(links.filter((link) => !existsSync(join(dirname(page), link)))).to.eql([]);
    });

  it('docs/architecture.md: every file and folder that it names is there', () => {
    const text = readFileSync('docs/architecture.md', 'utf8');
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

  it('README.md: every command is one, and has a row', async () => {
    const programs = readFileSync('src/cli/program.ts', 'utf8');
    const commands = matches(programs, /from '\.\/([a-z-]+)\.js'/g)
      .map((name) => (name === 'start' ? 'serve' : name))
      .filter((name) => name !== 'output');
    const rows = matches(readFileSync('README.md', 'utf8'), /^\| `mangrove (.*) \|.*\|$/gm).join(' ');
    expect(commands.filter((name) => !new RegExp(`\\b${name}\\b`).test(rows))).to.eql([]);
  });
});
