/** Filters and sorts through relations from one locale to another use the same rows as populate. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { makeConfig } from '../../src/config/load.js';
import { createReader } from '../../src/documents/read/create-reader.js';
import { createDocuments } from '../../src/documents/service.js';
import type { Documents } from '../../src/documents/types.js';
import { withLinksAcrossLocales } from '../../src/schema/model/across-locales.js';
import type { Store } from '../../src/store/client.js';
import { readLinksAcrossLocales } from '../../src/store/locales.js';
import { openArchiveSource } from '../../src/transfer/strapi/source.js';
import { testDocuments } from '../support/documents.js';
import { rounds } from '../support/rounds.js';
import { componentFile, schemaOf, typeFile } from '../support/schemas.js';
import { entity, importAll, link, siblings, targetIn, writeArchive } from '../support/transfer.js';

const RUNS = rounds(3, 12, 'PROPERTY_RUNS');
const PAGE = 'api::page.page';
const PICKS = 'box.picks';
const related = { type: 'relation', relation: 'manyToMany', target: PAGE };
const schema = schemaOf(
  componentFile(PICKS, { pages: { type: 'relation', relation: 'oneToMany', target: PAGE } }),
  typeFile(
    'page',
    {
      title: { type: 'string' },
      related: { ...related, inversedBy: 'relatedTo' },
      relatedTo: { ...related, mappedBy: 'related' },
      next: { type: 'relation', relation: 'oneToOne', target: PAGE },
      picks: { type: 'component', component: PICKS, repeatable: true },
    },
    { localized: true },
  ),
);

const DOCUMENTS = 4;
const LOCALES = ['en', 'fr'];
/** Row `2n` is document n in English, `2n + 1` in French. */
const ROWS = DOCUMENTS * LOCALES.length;
const titleOf = (row: number): string => `t${row % 5}`;

interface Content {
  /** Existing rows; each document has at least one. */
  readonly rows: readonly number[];
  readonly related: readonly (readonly [number, number])[];
  readonly next: readonly (readonly [number, number])[];
  /** Of the item of each row. */
  readonly picks: readonly (readonly [number, number])[];
}

const ends = fc.tuple(fc.nat(ROWS - 1), fc.nat(ROWS - 1));
const content: fc.Arbitrary<Content> = fc
  .record({
    missing: fc.uniqueArray(fc.nat(ROWS - 1), { maxLength: 3 }),
    related: fc.uniqueArray(ends, { maxLength: 12, selector: String }),
    next: fc.uniqueArray(ends, { maxLength: 5, selector: ([from]) => from }),
    picks: fc.uniqueArray(ends, { maxLength: 8, selector: String }),
  })
  .map(({ missing, ...links }) => {
    const rows = [...Array(ROWS).keys()].filter((row) => !missing.includes(row) || missing.includes(row ^ 1));
    const there = ([from, to]: readonly [number, number]): boolean =>
      rows.includes(from) && rows.includes(to);
    // A oneToOne refers to a row once.
    const once = new Set<number>();
    const next = links.next.filter((pair) => there(pair) && !once.has(pair[1]) && once.add(pair[1]));
    return { rows, related: links.related.filter(there), next, picks: links.picks.filter(there) };
  });

const archiveOf = ({ rows, related: pairs, next, picks }: Content) => ({
  entities: rows.map((row) =>
    entity(PAGE, row + 1, { locale: LOCALES[row % 2], title: titleOf(row), picks: [{ id: row + 1 }] }),
  ),
  links: [
    ...rows
      .filter((row) => row % 2 === 0 && rows.includes(row + 1))
      .map((row) => siblings(PAGE, row + 1, row + 2)),
    ...pairs.map(([from, to], at) =>
      link('manyToMany', [PAGE, from + 1, at], 'related', [PAGE, to + 1, at], 'relatedTo'),
    ),
    ...next.map(([from, to]) => link('oneToOne', [PAGE, from + 1], 'next', [PAGE, to + 1])),
    ...picks.map(([from, to], at) => link('oneToMany', [PICKS, from + 1, at], 'pages', [PAGE, to + 1])),
  ],
});

async function started(store: Store): Promise<Documents> {
  const config = makeConfig('.', {});
  const marked = withLinksAcrossLocales(schema, await readLinksAcrossLocales(store));
  const reader = createReader({ schema: marked, store, config });
  return createDocuments({ schema: marked, store, config, reader });
}

type Row = Readonly<Record<string, unknown>>;

/** Paths from a row to others, as named in a filter. */
const WAYS = [
  ['related'],
  ['relatedTo'],
  ['next'],
  ['picks', 'pages'],
  ['related', 'related'],
  ['related', 'relatedTo'],
  ['next', 'relatedTo'],
] as const;

const listed = (value: unknown): readonly Row[] =>
  [value].flat().filter((one): one is Row => one instanceof Object);
const titlesAt = (row: Row, way: readonly string[]): readonly unknown[] =>
  way
    .reduce<readonly Row[]>((rows, name) => rows.flatMap((one) => listed(one[name])), [row])
    .map(({ title }) => title);
const nest = (way: readonly string[], inner: object): object =>
  way.reduceRight<object>((below, name) => ({ [name]: below }), inner);
/**
 * What a row is sorted by: the smallest title that the path leads to; rows without a target come first, at each step.
 */
function keyOf(row: Row, [name, ...rest]: readonly string[]): string {
  if (name === undefined) return String(row['title']);
  // The items of a component are not a step of their own.
  const rows =
    name === 'picks' ? listed(row[name]).flatMap((item) => listed(item[rest[0] ?? ''])) : listed(row[name]);
  const inner = name === 'picks' ? rest.slice(1) : rest;
  return rows.map((one) => keyOf(one, inner)).sort()[0] ?? '';
}

describe('filters between locales', function () {
  this.timeout(120_000 + RUNS * 5000);
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-filters-across-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function check(given: Content, wanted: readonly string[], locale: string): Promise<void> {
    const opened = await testDocuments(schema);
    try {
      const path = await writeArchive(await mkdtemp(join(folder, 'archive-')), archiveOf(given));
      await importAll(await openArchiveSource(path, null), targetIn(opened.store, schema, folder));
      const pages = (await started(opened.store))(PAGE);
      const one = { related: true, relatedTo: true };
      const populate = {
        related: { populate: one },
        relatedTo: true,
        next: { populate: one },
        picks: { populate: { pages: true } },
      };
      const rows: readonly Row[] = await pages.findMany({ locale, populate, sort: 'id' });
      for (const way of WAYS) {
        const found = await pages.findMany({
          locale,
          filters: nest(way, { title: { $in: wanted } }),
          sort: 'id',
        });
        const passes = (row: Row): boolean =>
          titlesAt(row, way).some((title) => wanted.includes(String(title)));
        expect(
          found.map(({ id }) => id),
          `${way.join('.')} in ${wanted.join()}`,
        ).to.eql(rows.filter(passes).map(({ id }) => id));
        const sorted: readonly Row[] = await pages.findMany({
          locale,
          sort: `${way.join('.')}.title`,
          populate,
        });
        const keys = (list: readonly Row[]): string[] => list.map((row) => keyOf(row, way));
        expect(keys(sorted), `sorted by ${way.join('.')}`).to.eql(keys(rows).sort());
      }
      const none = await pages.findMany({
        locale,
        filters: { related: { id: { $null: true } } },
        sort: 'id',
      });
      expect(none.map(({ id }) => id)).to.eql(
        rows.filter((row) => titlesAt(row, ['related']).length === 0).map(({ id }) => id),
      );
      const inside = { related: { filters: { relatedTo: { title: { $in: wanted } } } } };
      const narrowed: readonly Row[] = await pages.findMany({ locale, populate: inside, sort: 'id' });
      expect(narrowed.map((row) => titlesAt(row, ['related']))).to.eql(
        rows.map((row) =>
          listed(row['related'])
            .filter((to) => titlesAt(to, ['relatedTo']).some((title) => wanted.includes(String(title))))
            .map(({ title }) => title),
        ),
      );
    } finally {
      await opened.close();
    }
  }

  it('find the rows that populate returns, and sort by them', () =>
    fc.assert(
      fc.asyncProperty(
        content,
        fc.subarray(['t0', 't1', 't2', 't3', 't4'], { minLength: 1, maxLength: 3 }),
        fc.constantFrom('en', 'fr'),
        check,
      ),
      { numRuns: RUNS },
    ));
});
