import { join, resolve } from 'node:path';
import { loadConfig } from '../config/load.js';
import type { Config } from '../config/types.js';
import { errors } from '../errors.js';
import { providerOf } from '../media/index.js';
import { schemaOf } from '../project.js';
import type { Schema } from '../schema/types.js';
import type { Store } from '../store/client.js';
import { holdsAny } from '../store/transfer/import-entries.js';
import { note, noteWarnings } from '../terminal/output.js';
import { abandonImport, importContent, unfinishedImport } from '../transfer/import/import.js';
import { reportLines } from '../transfer/import/report.js';
import type { Mode, Progress } from '../transfer/run/context.js';
import { compareSchemas } from '../transfer/schemas/compare.js';
import { projectFiles, writeFiles } from '../transfer/schemas/files.js';
import { modelOfFiles, planFiles, withoutMissing } from '../transfer/schemas/plan.js';
import type { Selection } from '../transfer/source/selection.js';
import type { ImportSource, Problem } from '../transfer/source/types.js';
import { occupied } from '../transfer/write/collections.js';
import type { Outcome } from './command.js';
import { withDatabase } from './with-store.js';

interface RunOptions {
  readonly root: string;
  /** Null: not chosen, so existing content stops the import. */
  readonly mode: Mode | null;
  readonly selection: Selection;
  /** The folder to write the source's schema files to; null: the project, if it has none. */
  readonly schemas: string | null;
  readonly dryRun: boolean;
  readonly verify: boolean;
  readonly restart: boolean;
}

/** Runs an import from an open source: schemas, database, content, report. */
export async function runImport(source: ImportSource, options: RunOptions): Promise<Outcome> {
  const config = noteWarnings(await loadConfig(options.root, process.env));
  return withDatabase(config, async ({ store }) => {
    await refuseStrapi3(store);
    const { schema, problems, written } = await schemasFor(source, options, config);
    return importInto({ source, options, config, schema, store }, { problems, written });
  });
}

/** Rejects a database that contains `core_store`, whatever its address: Strapi 3 databases are only read. */
async function refuseStrapi3({ db: own, content }: Store): Promise<void> {
  for (const db of [own, content.client.db(content.name)]) {
    if (!(await holdsAny(db, 'core_store'))) continue;
    throw errors.application(
      'command-refused',
      `The database ${db.databaseName} is a Strapi 3 database (it has core_store) and is only read: use another one for the new content`,
    );
  }
}

interface Schemas {
  readonly schema: Schema;
  readonly problems: readonly Problem[];
  /** Paths of the files that were written. */
  readonly written: readonly string[];
}

async function schemasFor(source: ImportSource, options: RunOptions, config: Config): Promise<Schemas> {
  const schemas = await source.schemas();
  const own = options.schemas === null ? await projectFiles(options.root) : [];
  if (own.some(({ kind }) => kind === 'contentType'))
    return {
      schema: await schemaOf(options.root, config),
      problems: compareSchemas(schemas, own),
      written: [],
    };
  const files = planFiles(withoutMissing(schemas));
  const schema = modelOfFiles(files, { ...config.responses, customFields: config.customFields });
  const folder = resolve(options.schemas ?? options.root);
  if (!options.dryRun) await writeFiles(folder, files);
  const written = files.map(({ file }) => join(folder, file));
  note(`${written.length} schema files ${options.dryRun ? 'would be' : 'were'} written below ${folder}`);
  return { schema, problems: compareSchemas(schemas, files), written };
}

interface Opened {
  readonly source: ImportSource;
  readonly options: RunOptions;
  readonly config: Config;
  readonly schema: Schema;
  readonly store: Store;
}

async function importInto(
  { source, options, config, schema, store }: Opened,
  { problems, written }: Pick<Schemas, 'problems' | 'written'>,
): Promise<Outcome> {
  const { selection, dryRun } = options;
  if (options.restart) await abandonImport({ store });
  const { mode, going } = (await unfinishedImport(store, source)) ?? { mode: null, going: false };
  if (options.mode === null && !going && !dryRun) {
    const full = await occupied({ store, schema }, selection);
    if (full.length > 0)
      throw errors.application(
        'content-in-the-way',
        `There is already content in ${full.join(', ')}: --mode merge adds to it, --mode replace replaces it`,
      );
  }
  const { given, defaultLocale, locales } = config.plugins.i18n;
  const target = {
    store,
    schema,
    provider: providerOf({ config, store }),
    defaultLocale,
    givenLocales: given ? locales : null,
    scratch: join(config.database.dataDir, 'import'),
  };
  const report = await importContent(source, target, {
    mode: options.mode ?? mode ?? 'merge',
    selection,
    dryRun,
    verify: options.verify,
    onProgress: progress(),
  });
  const whole = { ...report, problems: [...problems, ...report.problems], schemaFiles: written };
  const differs = (whole.verified?.differences.length ?? 0) > 0;
  return {
    data: whole,
    text: reportLines(whole).join('\n'),
    failed: differs || whole.others['damaged lines'] !== undefined,
  };
}

const WORDS: Readonly<Record<Progress['phase'], string>> = {
  stage: 'reading',
  pair: 'pairing locales',
  assign: 'placing entries',
  prepare: 'creating collections',
  write: 'writing entries',
  check: 'checking links',
  files: 'storing files',
  finish: 'finishing',
  switch: 'switching over',
  verify: 'reading back',
};

/** Reports progress at most once a second. */
function progress(): (progress: Progress) => void {
  let last = '';
  let at = 0;
  return ({ phase, at: done, share }) => {
    const now = Date.now();
    if (phase === last && now - at < 1000) return;
    last = phase;
    at = now;
    note(`${WORDS[phase]}: ${done}${share === null ? '' : ` (${Math.floor(share * 100)} %)`}`);
  };
}
