import { isDeepStrictEqual } from 'node:util';
import type { Store } from '../../src/store/client.js';
import type { Report } from './calls.js';

type Row = Record<string, unknown>;
interface Tag {
  readonly tag: string | null;
}

const text = (value: unknown): string => JSON.stringify(value);

/** The rules that hold after any schedule of writers; returns a description of each violation. */
export async function brokenRules({ db }: Store, reports: readonly Report[]): Promise<string[]> {
  const read = (name: string): Promise<Row[]> => db.collection(name).find().sort({ id: 1 }).toArray();
  const [drafts, live, targets, liveTargets, pages, livePages, homes, liveHomes] = await Promise.all(
    ['owners', 'targets', 'pages', 'homes'].flatMap((name) => [read(`${name}.drafts`), read(name)]),
  );
  const broken: string[] = [];
  const rule = (holds: boolean, words: string): void => {
    if (!holds) broken.push(words);
  };
  const repeated = (values: readonly unknown[]): unknown[] => {
    const given = values.filter((value) => value !== null && value !== undefined);
    return given.filter((value, at) => given.indexOf(value) !== at);
  };

  for (const [status, rows] of [
    ['draft', drafts],
    ['published', live],
  ] as const)
    for (const target of repeated((rows ?? []).map(({ partner }) => partner)))
      rule(false, `two ${status} owners of ${target}`);
  for (const code of repeated((live ?? []).map((row) => row['code'])))
    rule(false, `two published of code ${code}`);
  const tagged = (live ?? []).map((row) => ((row['tags'] ?? []) as Tag[]).map(({ tag }) => tag));
  for (const tag of repeated(tagged.flat())) rule(false, `two published of tag ${tag}`);

  for (const [name, before, after] of [
    ['owner', drafts, live],
    ['target', targets, liveTargets],
    ['page', pages, livePages],
    ['home', homes, liveHomes],
  ] as const)
    agree(name, before ?? [], after ?? [], rule);
  for (const rows of [pages, livePages, homes, liveHomes])
    for (const row of rows ?? [])
      for (const other of rows ?? [])
        if (row['documentId'] === other['documentId'] && String(row['_id']) < String(other['_id']))
          rule(row['kind'] === other['kind'], `locales of ${row['documentId']} differ in a shared attribute`);
  rule(
    new Set((homes ?? []).map(({ documentId }) => documentId)).size <= 1,
    'a single type of two documents',
  );

  const undone = new Set(reports.flatMap((report) => report.undone));
  for (const { owner, mark } of reports.flatMap(({ connected }) => connected)) {
    if (undone.has(owner)) continue;
    const draft = (drafts ?? []).find(({ documentId }) => documentId === owner);
    rule(((draft?.['marks'] ?? []) as unknown[]).includes(mark), `an acknowledged write of ${owner} is lost`);
  }
  const heads = await db.collection('mangrove.journal').countDocuments({ steps: { $exists: true } });
  rule(heads === 0, `${heads} writes are left in the journal`);
  return [...broken, ...reports.flatMap((report) => report.broken)];
}

/** Fields in which the two versions of a document may differ. */
const OWN = [
  '_id',
  '_rev',
  'id',
  'publishedAt',
  'tags',
  '_links',
  '_touched',
  '_pendingInverse',
  'partner',
  'marks',
];

/** Every published entry has a draft, which is not older; if the draft is not newer, both have the same values. */
function agree(
  name: string,
  drafts: readonly Row[],
  live: readonly Row[],
  rule: (holds: boolean, words: string) => void,
): void {
  for (const row of live) {
    const of = `${name} ${row['documentId']} ${row['locale']}`;
    const draft = drafts.find(
      ({ documentId, locale }) => documentId === row['documentId'] && locale === row['locale'],
    );
    rule(draft !== undefined, `${of} is published without a draft`);
    if (!draft) continue;
    const [changed, published] = [Number(draft['updatedAt']), Number(row['updatedAt'])];
    rule(changed >= published, `the draft of ${of} is older than what is published`);
    if (changed !== published) continue;
    const content = (entry: Row): Row =>
      Object.fromEntries(Object.entries(entry).filter(([key]) => !OWN.includes(key)));
    const same = isDeepStrictEqual(content(draft), content(row));
    rule(
      same,
      `both versions of ${of} have one date and differ: ${text(content(draft))} ${text(content(row))}`,
    );
  }
}
