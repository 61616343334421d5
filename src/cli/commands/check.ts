import type { Command } from 'commander';
import { adviseRoles, allActions } from '../../access/index.js';
import { NO_CODE } from '../../code/types.js';
import { ConfigError } from '../../config/error.js';
import { type AppEvent, messageOf } from '../../events/events.js';
import { readCode } from '../../project.js';
import { loadDefinition } from '../../project-code/load.js';
import { NO_DEFINITION } from '../../project-code/types.js';
import { adviseFiles } from '../../schema/files/advise.js';
import { readSchemaFiles } from '../../schema/files/read.js';
import { loadSchema } from '../../schema/load.js';
import { describeCode } from '../../serve/describe-code.js';
import { ABILITIES, examine } from '../../store/doctor/doctor.js';
import type { Finding } from '../../store/doctor/finding.js';
import {
  EXIT,
  errorData,
  eventData,
  explainError,
  note,
  noteEvent,
  print,
  printJson,
} from '../../terminal/output.js';
import { globalsOf } from '../globals.js';
import { loadSettings } from '../project-schema.js';
import { withStore } from '../with-store.js';

interface CheckOptions {
  readonly strict?: boolean;
  readonly live?: boolean;
}

/** What the deployment cannot do, and what is worth knowing of it. */
async function askDatabase(root: string): Promise<Record<'problems' | 'warnings', readonly AppEvent[]>> {
  const findings = await withStore(root, ({ store, schema }) => examine(store, schema, ABILITIES));
  const found = (wanted: Finding['level']): readonly AppEvent[] =>
    findings.filter(({ level }) => level === wanted).map(({ event }) => event);
  return { problems: found('problem'), warnings: found('warning') };
}

/** `mangrove check`: what `serve` would refuse, without a database. */
export function register(program: Command): void {
  program
    .command('check')
    .description('check the schemas and the configuration and report every problem; does not use a database')
    .option('--strict', 'treat warnings as problems')
    .option(
      '--live',
      'also check that the version and topology of the database support what the schemas require',
    )
    .addHelpText(
      'after',
      `
Problems are errors that prevent a start, with the file, the location and what was expected. Unknown keys, files and actions are
warnings. The project's code is not run: each file is listed with what it would have done and the routes that are closed because of it.

Examples:
  $ mangrove check
  $ mangrove check --live                      before a deployment, with its MONGODB_URI
  $ mangrove --root ../my-strapi check         a Strapi project, unchanged
  $ NODE_ENV=production mangrove check --json  with config/env/production, for a program`,
    )
    .action(async ({ strict = false, live = false }: CheckOptions, command: Command) => {
      const { root, json } = globalsOf(command);
      const config = await attempt(() => loadSettings(root));
      const settings = 'value' in config ? config.value : null;
      const schema = await attempt(() =>
        loadSchema({ folder: root, ...settings?.responses, customFields: settings?.customFields ?? {} }),
      );
      const own = await attempt(async () =>
        'value' in schema ? loadDefinition(root, schema.value) : NO_DEFINITION,
      );
      const failures = [config, schema, own].flatMap((result) => ('error' in result ? [result.error] : []));
      const routes = 'value' in own ? own.value.routes : [];
      const files = await attempt(() => readSchemaFiles(root));
      const warnings: AppEvent[] = [
        ...('value' in config ? config.value.warnings : warningsOf(config.error)),
        ...('value' in files ? adviseFiles(files.value, settings?.customFields) : []),
        ...('value' in schema ? adviseRoles(settings?.roles ?? null, allActions(schema.value, routes)) : []),
      ];
      if (live && failures.length === 0) {
        const asked = await attempt(() => askDatabase(root));
        if ('error' in asked) failures.push(asked.error);
        else {
          warnings.push(...asked.value.warnings);
          failures.push(...asked.value.problems.map((problem) => new Error(messageOf(problem))));
        }
      }
      const definition = 'value' in own ? own.value : NO_DEFINITION;
      const code =
        settings && 'value' in schema
          ? await readCode(root, { config: settings, schema: schema.value, definition })
          : NO_CODE;
      const ok = failures.length === 0 && !(strict && warnings.length > 0);
      if (!ok) process.exitCode = EXIT.failed;
      if (json) {
        printJson({
          ok,
          problems: failures.flatMap((e) => errorData(e).problems),
          warnings: warnings.map(messageOf),
          events: warnings.map(eventData),
          ...(describeCode(code).length > 0 && {
            code: { files: code.files, closed: code.closings, warnings: code.warnings.map(messageOf) },
          }),
        });
        return;
      }
      for (const warning of warnings) noteEvent(warning);
      for (const event of describeCode(code)) note(`code: ${messageOf(event)}`);
      for (const error of failures) note(explainError(error));
      if ('value' in schema && ok) print(summary(schema.value));
    });
}

const warningsOf = (error: unknown): readonly AppEvent[] =>
  error instanceof ConfigError ? error.warnings : [];

type Attempt<T> = { readonly value: T } | { readonly error: unknown };

const attempt = <T>(run: () => Promise<T>): Promise<Attempt<T>> =>
  run().then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );

const summary = (schema: Awaited<ReturnType<typeof loadSchema>>): string => {
  const own = [...schema.contentTypes.values()].filter((type) => type.origin === 'api');
  return `OK: ${own.length} content types, ${schema.components.size} components, configuration.`;
};
