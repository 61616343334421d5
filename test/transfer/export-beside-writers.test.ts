/** An export beside programs that write: what is in the archive fits together. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { ArchiveWriter } from '../../src/transfer/export/writer.js';
import { openArchiveSource } from '../../src/transfer/strapi/source.js';
import { type TestDocuments, testDocuments } from '../support/documents.js';
import { testStore } from '../support/engine.js';
import { schemaOf, typeFile } from '../support/schemas.js';
import { exportAll, importAll, targetIn } from '../support/transfer.js';

const TOPIC = 'api::topic.topic';
const ARTICLE = 'api::article.article';
const schema = schemaOf(
  typeFile('topic', { name: { type: 'string' } }, { draftAndPublish: true }),
  typeFile(
    'article',
    {
      /** The topic that it had when it was stored. */
      about: { type: 'string' },
      /** Raised by each update. */
      edition: { type: 'integer' },
      topic: { type: 'relation', relation: 'manyToOne', target: TOPIC },
      related: { type: 'relation', relation: 'manyToMany', target: ARTICLE },
    },
    { draftAndPublish: true },
  ),
);

const TOPICS = 40;
const WRITERS = 4;

interface Row {
  readonly type: string;
  readonly id: number;
  readonly data: {
    readonly documentId: string;
    readonly publishedAt: string | null;
    readonly about?: string;
    readonly edition?: number;
  };
}

interface Link {
  readonly left: { readonly type: string; readonly ref: number; readonly field: string };
  readonly right: { readonly type: string; readonly ref: number };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Programs that create, change, publish, withdraw and delete, each at random. */
class Writers {
  private readonly topics: string[] = [];
  private readonly articles: string[] = [];
  private edition = 0;
  private isOver = false;
  written = 0;

  constructor(private readonly documents: TestDocuments['documents']) {}

  private any(ids: readonly string[]): string {
    return ids[Math.floor(Math.random() * ids.length)] ?? '';
  }

  /** One that nobody takes again. */
  private taken(ids: string[]): string {
    return ids.splice(Math.floor(Math.random() * ids.length), 1)[0] ?? '';
  }

  private data() {
    const topic = this.any(this.topics);
    this.edition += 1;
    return { about: topic, topic, edition: this.edition, related: [this.any(this.articles)].filter(Boolean) };
  }

  async create(): Promise<void> {
    const name = `topic ${this.topics.length}`;
    const topic = await this.documents(TOPIC).create({ data: { name }, status: 'published' });
    this.topics.push(String(topic.documentId));
    for (const status of ['published', 'draft'] as const) {
      const article = await this.documents(ARTICLE).create({ data: this.data(), status });
      this.articles.push(String(article.documentId));
    }
  }

  private async one(): Promise<void> {
    const chance = Math.random();
    if (chance < 0.2) return this.create();
    if (chance < 0.3)
      return void (await this.documents(TOPIC).delete({ documentId: this.taken(this.topics) }));
    const articles = this.documents(ARTICLE);
    const documentId = this.taken(this.articles);
    if (chance < 0.45) return void (await articles.delete({ documentId }));
    try {
      if (chance < 0.55) await articles.unpublish?.({ documentId });
      else if (chance < 0.65) await articles.discardDraft?.({ documentId });
      else
        await articles.update({
          documentId,
          data: this.data(),
          status: chance < 0.9 ? 'published' : 'draft',
        });
    } finally {
      this.articles.push(documentId);
    }
  }

  private async until(): Promise<void> {
    while (!this.isOver)
      await this.one().then(
        () => {
          this.written += 1;
        },
        (error: unknown) => {
          // Another writer has deleted what this one refers to.
          if (!/^Document with id \S+ locale "null" not found$/.test(messageOf(error))) throw error;
        },
      );
  }

  /** Writes until `work` is done. */
  async beside<T>(work: () => Promise<T>): Promise<T> {
    const writers = Array.from({ length: WRITERS }, () => this.until());
    try {
      return await work();
    } finally {
      this.isOver = true;
      await Promise.all(writers);
    }
  }
}

/** A disk that takes a millisecond for each line, so that others have the time to write. */
const slow = (writer: ArchiveWriter): ArchiveWriter => ({
  ...writer,
  lines(stage) {
    const lines = writer.lines(stage);
    return {
      ...lines,
      async write(line) {
        await pause(1);
        await lines.write(line);
      },
    };
  },
});

/** How much in an archive does not fit together. */
function faultsIn(rows: readonly Row[], links: readonly Link[]) {
  const byId = new Map(rows.map((row) => [`${row.type} ${row.id}`, row]));
  const content = rows.filter(({ type }) => type.startsWith('api::'));
  const drafts = new Map(
    content.filter(({ data }) => data.publishedAt === null).map((row) => [row.data.documentId, row]),
  );
  const published = content.filter(({ data }) => data.publishedAt !== null);
  const editionOf = (row: Row | undefined): number => row?.data.edition ?? 0;
  const topics = new Map(
    links
      .filter(({ left }) => left.field === 'topic')
      .map(({ left, right }) => [left.ref, byId.get(`${right.type} ${right.ref}`)?.data.documentId]),
  );
  const linked = links.flatMap(({ left, right }) => [left, right]);
  const isOther = ({ type, id, data }: Row): boolean => {
    const expected = drafts.has(data.about ?? '') ? data.about : undefined;
    return type === ARTICLE && topics.get(id) !== expected;
  };
  return {
    numbersTwice: rows.length - byId.size,
    publishedTwice: published.length - new Set(published.map(({ data }) => data.documentId)).size,
    endsMissing: linked.filter(({ type, ref }) => !byId.has(`${type} ${ref}`)).length,
    draftMissing: published.filter(({ data }) => !drafts.has(data.documentId)).length,
    draftOlder: published.filter((row) => editionOf(drafts.get(row.data.documentId)) < editionOf(row)).length,
    otherTopic: content.filter(isOther).length,
  };
}

describe('an export beside programs that write', function () {
  this.timeout(180_000);
  let opened: TestDocuments;
  let folder: string;
  before(async () => {
    opened = await testDocuments(schema);
    folder = await mkdtemp(join(tmpdir(), 'mangrove-beside-'));
  });
  after(async () => {
    await opened?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const linesOf = async <T>(stage: string): Promise<readonly T[]> => {
    const text = await readFile(join(folder, 'archive', stage, `${stage}_00001.jsonl`), 'utf8');
    const lines = text.trim().split('\n');
    return lines.map((line) => JSON.parse(line) as T);
  };

  it('has both ends of each link, each entry with its own links, and a draft of what is published', async () => {
    const writers = new Writers(opened.documents);
    for (let number = 0; number < TOPICS; number += 1) await writers.create();
    const path = join(folder, 'archive');
    const options = { folder: true, gzip: false, through: slow };
    const report = await writers.beside(() =>
      exportAll(targetIn(opened.store, schema, folder), path, options),
    );
    expect(writers.written).to.be.above(100);
    const links = (await linesOf<Link>('links')).filter(({ left }) => left.type === ARTICLE);
    expect(links.length).to.be.above(100);
    expect(faultsIn(await linesOf<Row>('entities'), links)).to.eql({
      numbersTwice: 0,
      publishedTwice: 0,
      endsMissing: 0,
      draftMissing: 0,
      draftOlder: 0,
      otherTopic: 0,
    });

    const into = await testStore();
    try {
      const archive = await openArchiveSource(path, null);
      const imported = await importAll(archive, targetIn(into.store, schema, folder), { verify: true });
      expect(imported.verified?.differences).to.eql([]);
      expect(imported.links.leftOut).to.equal(0);
      expect(imported.entries[ARTICLE]?.written).to.equal(report.entries[ARTICLE]);
    } finally {
      await into.close();
    }
  });
});
