import { join, resolve } from 'node:path';
import { loadConfig } from '../config/load.js';
import type { Config } from '../config/types.js';
import { errors } from '../errors.js';
import { providerOf } from '../media/index.js';
import { filesWith } from '../schema/load.js';
import type { Schema } from '../schema/types.js';
import type { Store } from '../store/client.js';
import { type Lock, lockHolder, takeLock } from '../store/leases/lock.js';
import { holdsAny } from '../store/transfer/import-entries.js';
import { importLock } from '../store/transfer/staging.js';
import { note, noteWarnings } from '../terminal/output.js';
import { abandonImport, importContent, unfinishedImport } from '../transfer/import/import.js';
import { type ImportReport, reportLines } from '../transfer/import/report.js';
import type { ImportMode } from '../transfer/run/context.js';
import { compareSchemas } from '../transfer/schemas/compare.js';
import { ownSchemaFiles, refuseExisting, writeFiles } from '../transfer/schemas/files.js';
import { modelOfFiles, planFiles, withoutMissing } from '../transfer/schemas/plan.js';
import { repairFiles } from '../transfer/schemas/repair.js';
import type { SelectedParts } from '../transfer/source/selection.js';
import type { ImportProblem, ImportSource } from '../transfer/source/types.js';
import { foreignIn, occupied } from '../transfer/write/collections.js';
import type { CommandResult } from './command.js';
import { refused } from './command.js';
import { describePhase, importProgress } from './import-progress.js';
import { loadSchemaAndCode } from './project-schema.js';
import { withDatabase } from './with-store.js';

interface RunOptions {
  readonly root: string;
  /** Null: not chosen, so existing content stops the import. */
  readonly mode: ImportMode | null;
  readonly selection: SelectedParts;
  /** The folder to write the source's schema files to; null: the project, if it has none. */
  readonly schemas: string | null;
  readonly dryRun: boolean;
  readonly verify: boolean;
  readonly restart: boolean;
  /** Whether collections of other programs may be affected. */
  readonly yes: boolean;
}

/** Runs an import from an open source: schemas, database, content, report. */
export async function runImport(source: ImportSource, options: RunOptions): Promise<CommandResult> {
  const config = noteWarnings(await loadConfig(options.root, process.env));
  return withDatabase(config, async ({ store }) => {
    await refuseStrapi3(store);
    const schemas = await schemasFor(source, options, config);
    return importInto({ source, options, config, schema: schemas.schema, store }, schemas);
  });
}

/** Rejects a database that contains `core_store`, whatever its address: Strapi 3 databases are only read. */
async function refuseStrapi3({ db: own, content }: Store): Promise<void> {
  for (const db of [own, content.client.db(content.name)]) {
    if (!(await holdsAny(db, 'core_store'))) continue;
    throw refused(
      `The database ${db.databaseName} is a Strapi 3 database (it has core_store) and is only read: use another one for the new content`,
    );
  }
}

interface Schemas {
  readonly schema: Schema;
  readonly problems: readonly ImportProblem[];
  /** Paths of the files that the import writes before the content. */
  readonly written: readonly string[];
  readonly write: () => Promise<void>;
}

async function schemasFor(source: ImportSource, options: RunOptions, config: Config): Promise<Schemas> {
  const schemas = await source.schemas();
  const own = options.schemas === null ? await ownSchemaFiles(options.root) : [];
  if (own.some(({ kind }) => kind === 'contentType')) {
    const { schema, code } = await loadSchemaAndCode(options.root, config);
    const files = filesWith(own, code.running?.made ?? {});
    return {
      schema,
      problems: compareSchemas(schemas, files, config.responses.privateAttributes),
      written: [],
      write: async () => undefined,
    };
  }
  const planned = planFiles(withoutMissing(schemas));
  const { files, problems } = repairFiles(planned, config.customFields);
  const schema = modelOfFiles(files, { ...config.responses, customFields: config.customFields });
  const folder = resolve(options.schemas ?? options.root);
  await refuseExisting(folder, files);
  const written = files.map(({ file }) => join(folder, file));
  if (options.dryRun) note(`${written.length} schema files would be written below ${folder}`);
  const write = async (): Promise<void> => {
    await writeFiles(folder, files);
    note(`${written.length} schema files were written below ${folder}`);
  };
  return { schema, problems: [...compareSchemas(schemas, planned), ...problems], written, write };
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
  schemas: Schemas,
): Promise<CommandResult> {
  if (!options.yes) await refuseForeign({ store, schema }, options);
  const place = importLock(store.db);
  const lock = await takeLock(place);
  if (lock === null) {
    const holder = await lockHolder(place);
    throw refused(
      `Another import into this database is running, in ${holder ?? 'a process that has just ended'}: wait until it has ended`,
    );
  }
  try {
    return await importAlone({ source, options, config, schema, store }, schemas, lock);
  } finally {
    await lock.release();
  }
}

async function importAlone(
  { source, options, config, schema, store }: Opened,
  { problems, written, write }: Schemas,
  lock: Lock,
): Promise<CommandResult> {
  const { selection, dryRun } = options;
  if (options.restart) await abandonImport({ store });
  const { mode, going } = (await unfinishedImport(store, source)) ?? { mode: null, going: false };
  if (options.mode === null && !going) {
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
    givenAccountSettings: givenAccountSettings(config),
    scratch: join(config.database.dataDir, 'import'),
  };
  const progress = importProgress();
  const report = await importContent(source, target, {
    mode: options.mode ?? mode ?? 'merge',
    selection,
    dryRun,
    verify: options.verify,
    schemaProblems: problems,
    beforeWriting: write,
    onProgress: (done) => {
      if (lock.lost)
        throw refused('Another import began because this one had stopped responding; it has ended');
      progress(done);
    },
    onResume: ({ phase, at }) =>
      note(`Resuming the import that was interrupted: ${describePhase(phase, at)}`),
  });
  const whole = { ...report, schemaFiles: written };
  const differs = (whole.verified?.differences.length ?? 0) > 0;
  return {
    data: whole,
    text: reportLines(whole).join('\n'),
    next: nextStep(whole, options),
    failed: differs || leftOutIn(whole) > 0 || whole.others['damaged lines'] !== undefined,
  };
}

const givenAccountSettings = ({ plugins: { usersPermissions } }: Config) =>
  Object.fromEntries(
    Object.entries(usersPermissions.advanced).filter(([name]) =>
      usersPermissions.advancedGiven.includes(name),
    ),
  );

/** Without consent, collections of other programs are neither replaced nor changed, nor joined by others. */
async function refuseForeign(
  target: Pick<Opened, 'store' | 'schema'>,
  { selection, mode }: RunOptions,
): Promise<void> {
  const { same, first } = await foreignIn(target, selection);
  const { databaseName } = target.store.db;
  const does = mode === 'replace' ? 'delete' : 'write into';
  if (same.length > 0)
    throw errors.application(
      'database-not-agreed',
      `The database ${databaseName} has collections of other programs, and the import would ${does} these: ${same.join(', ')}. Repeat it with --yes to allow that, or set another database`,
    );
  if (first)
    throw errors.application(
      'database-not-agreed',
      `The database ${databaseName} has collections of other programs. Mangrove would add its own: repeat the import with --yes to allow that, or set another database`,
    );
}

const leftOutIn = ({ entries }: ImportReport): number =>
  Object.values(entries).reduce((sum, { leftOut }) => sum + leftOut, 0);

/** What to do after an import. */
function nextStep(report: ImportReport, { dryRun, mode, verify, root }: RunOptions): string {
  const { verified, others } = report;
  const leftOut = leftOutIn(report);
  if (leftOut > 0) {
    const entries = leftOut === 1 ? '1 entry was' : `${leftOut} entries were`;
    const repeat = dryRun ? 'before the import' : 'and repeat the import with --mode replace';
    return `Next: ${entries} left out, as listed: add the missing types to the project, or exclude them with --exclude-content-types, ${repeat}`;
  }
  if (dryRun) return `Next: repeat the command without --dry-run${verify ? '' : ', and with --verify'}`;
  if (verified && verified.differences.length > 0)
    return 'Next: look at what differs; the import can be repeated with --mode replace';
  if (others['damaged lines'] !== undefined)
    return 'Next: export again, or mend the damaged lines, and repeat the import with --mode replace';
  const at = resolve(root) === process.cwd() ? '' : ` --root ${root}`;
  return mode === 'replace'
    ? 'Next: restart the servers that are running on this database'
    : `Next: "npx mangrove${at} token create website" creates a token for a client, "npx mangrove${at} serve" starts the server`;
}
