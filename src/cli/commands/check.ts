import { existsSync } from 'node:fs';
import { adviseRoles, allActions } from '../../access/index.js';
import { NO_CODE } from '../../code/types.js';
import { ConfigError } from '../../config/error.js';
import { loadConfig } from '../../config/load.js';
import { type AppEvent, messageOf } from '../../events/events.js';
import { readCode } from '../../project.js';
import { loadDefinition } from '../../project-code/load.js';
import { NO_DEFINITION } from '../../project-code/types.js';
import { adjustmentsIn } from '../../schema/check/repair.js';
import { lintFiles } from '../../schema/files/lint.js';
import { readSchemaFiles } from '../../schema/files/read.js';
import { loadSchema } from '../../schema/load.js';
import type { Schema } from '../../schema/types.js';
import { checkSeed } from '../../seed/check-seed.js';
import { SeedError } from '../../seed/error.js';
import { describeCode } from '../../serve/describe-code.js';
import { seedOf } from '../../serve/seed-of.js';
import { ABILITIES, examine } from '../../store/doctor/doctor.js';
import type { Finding } from '../../store/doctor/finding.js';
import { errorData, eventData, eventText, explainError } from '../../terminal/output.js';
import { type Call, command } from '../command.js';
import { withStore } from '../with-store.js';

interface CheckOptions {
  readonly strict?: boolean;
  readonly live?: boolean;
}

/** What the deployment lacks, and what to know about it. */
async function examineDatabase(root: string): Promise<Record<'problems' | 'warnings', readonly AppEvent[]>> {
  const findings = await withStore(root, ({ store, schema }) => examine(store, schema, ABILITIES));
  const found = (wanted: Finding['level']): readonly AppEvent[] =>
    findings.filter(({ level }) => level === wanted).map(({ event }) => event);
  return { problems: found('problem'), warnings: found('warning') };
}

/** `mangrove check`: reports what would prevent a start, without a database. */
export const check = command({
  name: 'check',
  does: 'check the schemas, the configuration and the seed and report every problem; does not use a database',
  options: [
    ['--strict', 'treat warnings as problems'],
    ['--live', 'also check that the version and topology of the database support what the schemas require'],
  ],
  help: `
Problems are errors that prevent a start, with the file, the location and what was expected. Unknown keys, files and actions are
warnings. The files in seeds/, if they are the project's seed, are checked as the first start would read them. The project's code is not run: each file is listed with what it would have done and the routes that are closed because of it.

Examples:
  $ mangrove check
  $ mangrove check --live                      before a deployment, with its MONGODB_URI
  $ mangrove --root ../my-strapi check         a Strapi project, unchanged
  $ NODE_ENV=production mangrove check --json  with config/env/production, for a program`,
  async run({ root, options: { strict = false, live = false } }: Call<CheckOptions>) {
    const failures: unknown[] = [];
    /** Undefined if it fails; failures are reported together. */
    const attempt = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
      try {
        return await work();
      } catch (error) {
        failures.push(error);
        return undefined;
      }
    };
    const warnings: AppEvent[] = [];
    const config = await attempt(() => loadConfig(root, process.env, {}, { createsSecrets: false }));
    const [unread] = failures;
    warnings.push(...(config?.warnings ?? (unread instanceof ConfigError ? unread.warnings : [])));
    const customFields = config?.customFields ?? {};
    const schema = await attempt(() => loadSchema({ folder: root, ...config?.responses, customFields }));
    const definition = (schema && (await attempt(() => loadDefinition(root, schema)))) ?? NO_DEFINITION;
    // Problems with these files are already reported.
    const files = await readSchemaFiles(root).catch(() => []);
    warnings.push(...lintFiles(files, customFields), ...adjustmentsIn(files, customFields));
    if (schema) warnings.push(...adviseRoles(config?.roles ?? null, allActions(schema, definition.routes)));
    const seed = schema && config ? await seedOf(root) : null;
    if (schema && config && seed !== null && existsSync(seed)) {
      const wrong = await attempt(() => checkSeed({ schema, config }, seed));
      failures.push(...(wrong ?? []).map(({ place, message }) => new SeedError(`${place}: ${message}`)));
    }
    if (live && failures.length === 0) {
      const asked = await attempt(() => examineDatabase(root));
      warnings.push(...(asked?.warnings ?? []));
      failures.push(...(asked?.problems ?? []).map((problem) => new Error(messageOf(problem))));
    }
    const code = config && schema ? await readCode(root, { config, schema, definition }) : NO_CODE;
    const described = describeCode(code);
    const ok = failures.length === 0 && !(strict && warnings.length > 0);
    return {
      data: {
        ok,
        problems: failures.flatMap((error) => errorData(error).problems),
        warnings: warnings.map(messageOf),
        events: warnings.map(eventData),
        ...(described.length > 0 && {
          code: { files: code.files, closed: code.closings, warnings: code.warnings.map(messageOf) },
        }),
      },
      notes: [
        ...warnings.map(eventText),
        ...described.map((event) => `code: ${messageOf(event)}`),
        ...failures.map(explainError),
      ],
      text: schema && ok ? summary(schema) : undefined,
      failed: !ok,
    };
  },
});

const summary = (schema: Schema): string => {
  const own = [...schema.contentTypes.values()].filter((type) => type.origin === 'api');
  return `OK: ${own.length} content types, ${schema.components.size} components, configuration.`;
};
