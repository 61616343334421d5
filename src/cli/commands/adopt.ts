import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FileLayout, OWN_LAYOUT, type Plan, planProposal, STRAPI_LAYOUT } from '../../adopt/files.js';
import { loadMongoose } from '../../adopt/load-mongoose.js';
import type { MongooseModels } from '../../adopt/mongoose.js';
import { type Proposal, type ProposedType, type ProposeOptions, propose } from '../../adopt/propose.js';
import type { Config } from '../../config/types.js';
import { schemaOf } from '../../project.js';
import type { ContentType } from '../../schema/types.js';
import { collectionFacts, probe, sampleOf } from '../../store/adopted/inspect.js';
import type { Store } from '../../store/client.js';
import { note } from '../../terminal/output.js';
import { isPlainObject, type PlainObject } from '../../values/plain-object.js';
import { type CommandLine, type CommandResult, command } from '../command.js';
import { loadSettings } from '../project-schema.js';
import { withDatabase } from '../with-store.js';
import { finishWriting, writeTogether } from '../write-together.js';

interface Options {
  readonly dryRun?: boolean;
  readonly database?: string;
  readonly mongoose?: string;
}

/** `mangrove adopt`: the collections of a database as content types. */
export const adopt = command({
  name: 'adopt [collections...]',
  does: 'inspect the collections of the database and write schema files for them',
  options: [
    ['--dry-run', 'print what would be written, without writing it'],
    [
      '--mongoose <folder>',
      'also load the Mongoose models in this folder, which are more precise than a sample',
    ],
    ['--database <name>', 'the database to inspect (default: that of the project)'],
  ],
  help: `
Nothing is written to the database. Validators, indexes and a sample of up to 10,000 documents per collection
are read. References are verified by looking up their values. Without names, all collections are inspected
except those of the project's own types.

A second run adds what is new to the files and keeps the rest.

Examples:
  $ MONGODB_URI=mongodb://localhost/shop mangrove adopt --dry-run
  $ mangrove adopt customers orders`,
  async run({ root, options }: CommandLine<Options>, collections: readonly string[]) {
    const { dryRun = false, mongoose, database = null } = options;
    const config = await loadSettings(root);
    if (!dryRun) await finishWriting(root);
    const types = await presentTypes(root, config);
    return withDatabase(config, async ({ store }) => {
      const models = await modelsOf(mongoose);
      const proposal = await look(store, types, { collections, database, ...models });
      const layout = existsSync(join(root, 'src', 'api')) ? STRAPI_LAYOUT : OWN_LAYOUT;
      const plan = planProposal(proposal, layout, await presentFiles(root, layout, proposal));
      if (!dryRun) await writeTogether(root, plan.files);
      return outcomeOf(proposal, plan, dryRun);
    });
  },
});

/** The content types of the project; empty if the folder has none. */
async function presentTypes(folder: string, config: Config): Promise<readonly ContentType[]> {
  const places = ['content-types', 'src/api', 'api'].map((place) => join(folder, place));
  if (!places.some((place) => existsSync(place))) return [];
  return [...(await schemaOf(folder, config)).contentTypes.values()];
}

/** The types and constraints that Mongoose models declare. */
async function modelsOf(folder: string | undefined): Promise<Pick<MongooseModels, 'rules' | 'declared'>> {
  if (folder === undefined) return { rules: new Map(), declared: [] };
  const { rules, declared, unread } = await loadMongoose(folder);
  for (const problem of unread) note(`${problem}: its models are missing`);
  note(`${folder}: models of ${[...rules.keys()].join(', ') || 'no collection'}`);
  return { rules, declared };
}

type Inspection = Required<Pick<ProposeOptions, 'collections' | 'database' | 'rules' | 'declared'>>;

function look(store: Store, types: readonly ContentType[], asked: Inspection): Promise<Proposal> {
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
      probe: (target, path, values) => probe(db, target, path, values),
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
  layout: FileLayout,
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

function outcomeOf({ types, refused }: Proposal, { files, changes }: Plan, dryRun: boolean): CommandResult {
  const shown = dryRun
    ? files.map(({ path, content }) => `// ${path}\n${JSON.stringify(content, null, 2)}`)
    : files.map(({ path, isNew }) => `${isNew ? 'wrote' : 'changed'} ${path}`);
  const next = dryRun
    ? 'Nothing was written.'
    : 'Review the files, then: mangrove check, mangrove role grant public <type>.find, mangrove serve';
  return {
    data: {
      dryRun,
      types: types.map(({ uid, collection, documents, sampled, notes }) => {
        return { uid, collection, documents, sampled, notes };
      }),
      refused,
      changes,
      files,
    },
    notes: [
      ...refused.map(({ collection, reason }) => `${collection}: left out, ${reason}`),
      ...types.map(summary),
      ...changes,
    ],
    text: shown.join('\n') || 'Nothing has changed since the last run.',
    ...(files.length > 0 && { next }),
  };
}

function summary({ collection, uid, documents, sampled, references, notes }: ProposedType): string {
  const seen = sampled >= documents ? 'all of them seen' : `${sampled} of them seen`;
  return [
    `${collection}: ${uid}, ${documents} documents, ${seen}`,
    ...references.map(
      ({ candidate, to, path, probed, found }) =>
        `  ${candidate.path} refers to ${to.facts.name}.${path}: ${probed === 0 ? 'according to its model' : `${found} of ${probed} values found`}`,
    ),
    ...notes.map((text) => `  ${text}`),
  ].join('\n');
}
