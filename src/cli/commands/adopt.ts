import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { type Layout, OWN_LAYOUT, type Plan, planFiles, STRAPI_LAYOUT } from '../../adopt/files.js';
import { type MongooseModels, readMongoose } from '../../adopt/mongoose.js';
import { type Proposal, type ProposedType, type ProposeOptions, propose } from '../../adopt/propose.js';
import type { Config } from '../../config/types.js';
import { openDatabase } from '../../database.js';
import { loadSchema } from '../../schema/load.js';
import type { ContentType } from '../../schema/types.js';
import { collectionFacts, probe, sampleOf } from '../../store/adopted/inspect.js';
import { openStore, type Store } from '../../store/client.js';
import { note, print, printJson } from '../../terminal/output.js';
import { isPlainObject, type PlainObject } from '../../values/plain-object.js';
import { globalsOf } from '../globals.js';
import { loadSettings } from '../project-schema.js';

interface Options {
  readonly dryRun?: boolean;
  readonly database?: string;
  readonly mongoose?: string;
}

/** `mangrove adopt`: the collections of a database as content types. */
export function register(program: Command): void {
  program
    .command('adopt [collections...]')
    .description('inspect the collections of the database and write schema files for them')
    .option('--dry-run', 'print what would be written, without writing it')
    .option(
      '--mongoose <folder>',
      'also read the Mongoose models in this folder, which are more precise than a sample',
    )
    .option('--database <name>', 'the database to inspect (default: that of the project)')
    .addHelpText(
      'after',
      `
Nothing is written to the database. Validators, indexes and a sample of up to 10,000 documents per collection
are read. References are verified by looking up their values. Without names, all collections are inspected
except those of the project's own types.

A second run adds what is new to the files and keeps the rest.

Examples:
  $ MONGODB_URI=mongodb://localhost/shop mangrove adopt --dry-run
  $ mangrove adopt customers orders`,
    )
    .action((collections: string[], options: Options, command: Command) =>
      adopt(collections, options, command),
    );
}

async function adopt(collections: readonly string[], options: Options, command: Command): Promise<void> {
  const { root, json } = globalsOf(command);
  const config = await loadSettings(root);
  const types = await presentTypes(root, config.customFields);
  const database = await openDatabase(config);
  try {
    const store = await openStore({ ...config.database, uri: database.uri, system: database.system });
    try {
      const models = await modelsOf(options.mongoose);
      const proposal = await look(store, types, {
        collections,
        database: options.database ?? null,
        ...models,
      });
      const layout = existsSync(join(root, 'src', 'api')) ? STRAPI_LAYOUT : OWN_LAYOUT;
      const plan = planFiles(proposal, layout, await presentFiles(root, layout, proposal));
      if (!options.dryRun)
        for (const { path, content } of plan.files) {
          await mkdir(dirname(join(root, path)), { recursive: true });
          await writeFile(join(root, path), `${JSON.stringify(content, null, 2)}\n`);
        }
      if (json) return printJson(asData(proposal, plan, options.dryRun ?? false));
      tell(proposal, plan, options.dryRun ?? false);
    } finally {
      await store.close();
    }
  } finally {
    await database.close();
  }
}

/** The content types of the project; none in a folder without any. */
async function presentTypes(
  folder: string,
  customFields: Config['customFields'],
): Promise<readonly ContentType[]> {
  const places = ['content-types', 'src/api', 'api'].map((place) => join(folder, place));
  if (!places.some((place) => existsSync(place))) return [];
  return [...(await loadSchema({ folder, customFields })).contentTypes.values()];
}

/** What Mongoose models say of their collections. */
async function modelsOf(folder: string | undefined): Promise<Pick<MongooseModels, 'rules' | 'declared'>> {
  if (folder === undefined) return { rules: new Map(), declared: [] };
  const { rules, declared, unread } = await readMongoose(folder);
  for (const file of unread) note(`${file}: cannot be parsed`);
  note(`${folder}: models of ${[...rules.keys()].join(', ') || 'no collection'}`);
  return { rules, declared };
}

type Asked = Required<Pick<ProposeOptions, 'collections' | 'database' | 'rules' | 'declared'>>;

function look(store: Store, types: readonly ContentType[], asked: Asked): Promise<Proposal> {
  const { database } = asked;
  const db = store.content.client.db(database ?? store.content.name);
  const adopted = types.filter(({ storage }) => storage !== null && (storage.database ?? null) === database);
  const names = types
    .filter((type) => !adopted.includes(type))
    .flatMap((type) => [type.singularName, type.pluralName]);
  return propose({
    inspector: {
      facts: (wanted) => collectionFacts(db, wanted),
      sample: (facts) => sampleOf(db, facts),
      ask: (target, path, values) => probe(db, target, path, values),
    },
    ...asked,
    takenNames: new Set(names),
    known: new Map(
      adopted.map((type) => [type.collectionName, { singular: type.singularName, plural: type.pluralName }]),
    ),
    own: new Set(types.filter(({ storage }) => storage === null).map(({ collectionName }) => collectionName)),
  });
}

async function presentFiles(
  root: string,
  layout: Layout,
  { types }: Proposal,
): Promise<ReadonlyMap<string, PlainObject>> {
  const paths = types.flatMap(({ name, components }) => [
    layout.type(name.singular),
    ...[...components.keys()].map(layout.component),
  ]);
  const found = new Map<string, PlainObject>();
  for (const path of paths) {
    if (!existsSync(join(root, path))) continue;
    const content: unknown = JSON.parse(await readFile(join(root, path), 'utf8'));
    if (isPlainObject(content)) found.set(path, content);
  }
  return found;
}

const asData = (proposal: Proposal, { files, changes }: Plan, dryRun: boolean): PlainObject => ({
  dryRun,
  types: proposal.types.map(({ uid, collection, documents, sampled, notes }) => ({
    uid,
    collection,
    documents,
    sampled,
    notes,
  })),
  refused: proposal.refused,
  changes,
  files,
});

function tell({ types, refused }: Proposal, { files, changes }: Plan, dryRun: boolean): void {
  for (const { collection, reason } of refused) note(`${collection}: left out, ${reason}`);
  for (const type of types) note(summary(type));
  for (const change of changes) note(change);
  if (dryRun)
    for (const { path, content } of files) print(`// ${path}\n${JSON.stringify(content, null, 2)}\n`);
  else for (const { path, isNew } of files) print(`${isNew ? 'wrote' : 'changed'} ${path}`);
  if (files.length === 0) print('Nothing has changed since the last run.');
  else if (dryRun) note('Nothing was written.');
  else note('Review the files, then: mangrove check, mangrove role grant public <type>.find, mangrove serve');
}

function summary({ collection, uid, documents, sampled, references, notes }: ProposedType): string {
  const seen = sampled >= documents ? 'all of them seen' : `${sampled} of them seen`;
  return [
    `${collection}: ${uid}, ${documents} documents, ${seen}`,
    ...references.map(
      ({ candidate, to, path, asked, found }) =>
        `  ${candidate.path} refers to ${to.facts.name}.${path}: ${asked === 0 ? 'according to its model' : `${found} of ${asked} values found`}`,
    ),
    ...notes.map((text) => `  ${text}`),
  ].join('\n');
}
