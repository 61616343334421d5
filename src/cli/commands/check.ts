import { existsSync } from 'node:fs';
import { adviseRoles, allActions, checkRules } from '../../access/index.js';
import { ConfigError } from '../../config/error.js';
import { loadConfig } from '../../config/load.js';
import { type AppEvent, messageOf } from '../../events/events.js';
import { adviseCacheControl } from '../../http/conditional/advise-cache.js';
import { loadDefinition } from '../../project-code/load.js';
import { NO_DEFINITION } from '../../project-code/types.js';
import { adjustmentsIn } from '../../schema/check/repair.js';
import { lintFiles } from '../../schema/files/lint.js';
import { readSchemaFiles } from '../../schema/files/read.js';
import { loadSchema } from '../../schema/load.js';
import type { Schema } from '../../schema/types.js';
import { checkSeed } from '../../seed/check-seed.js';
import { SeedError } from '../../seed/error.js';
import { seedOf } from '../../serve/seed-of.js';
import { ABILITIES, examine } from '../../store/doctor/doctor.js';
import type { Finding } from '../../store/doctor/finding.js';
import { listCode } from '../../strapi/list-files.js';
import { usesOf } from '../../strapi/uses.js';
import { errorData, eventData, eventText, explainError } from '../../terminal/output.js';
import { plural } from '../../values/plural.js';
import { webhookProblems } from '../../webhooks/index.js';
import { type CommandLine, command } from '../command.js';
import { runCheck } from '../run-check.js';
import { withStore } from '../with-store.js';

interface CheckOptions {
  readonly strict?: boolean;
  readonly live?: boolean;
  readonly run?: boolean;
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
    [
      '--run',
      "also load a Strapi project's code, in a process without network and database, for ten seconds at most",
    ],
  ],
  help: `
Problems are errors that prevent a start, with the file, the location and what was expected. Unknown keys, files and actions are
warnings. The files in seeds/, if they are the project's seed, are checked as the first start would read them. The code of a Strapi project is not run: the lines that name a part of Strapi which Mangrove does not have are listed.

Examples:
  $ mangrove check
  $ mangrove check --live                      before a deployment, with its MONGODB_URI
  $ mangrove --root ../my-strapi check --run   a Strapi project, unchanged, with its code
  $ NODE_ENV=production mangrove check --json  with config/env/production, for a program`,
  async run({ root, options: { strict = false, live = false, run = false } }: CommandLine<CheckOptions>) {
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
    const schemaFiles = await readSchemaFiles(root).catch(() => []);
    warnings.push(...lintFiles(schemaFiles, customFields), ...adjustmentsIn(schemaFiles, customFields));
    const { files, notCompiled } = await listCode(root, config?.code.plugins ?? {});
    if (notCompiled.length > 0) warnings.push({ name: 'code-not-compiled', files: notCompiled });
    // Code may declare routes, which are known only when it is loaded.
    if (schema && files.length === 0)
      warnings.push(...adviseRoles(config?.roles ?? null, allActions(schema, definition.routes)));
    if (schema && config) warnings.push(...adviseCacheControl(config, schema, null));
    const wrongRules = schema && config ? checkRules({ config, schema }) : [];
    if (wrongRules.length > 0) failures.push(new ConfigError(wrongRules));
    const wrongWebhooks = schema && config ? webhookProblems(config, schema) : [];
    if (wrongWebhooks.length > 0) failures.push(new ConfigError(wrongWebhooks));
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
    const uses = await usesOf(root, files);
    const broken = run && config && schema ? await runCheck(root) : [];
    failures.push(...broken.map(({ because }) => new Error(because)));
    const ok = failures.length === 0 && !(strict && warnings.length > 0);
    return {
      data: {
        ok,
        problems: failures.flatMap((error) => errorData(error).problems),
        warnings: warnings.map(messageOf),
        events: warnings.map(eventData),
        ...(files.length > 0 && { code: { files, unsupported: uses } }),
      },
      notes: [
        ...warnings.map(eventText),
        ...(files.length === 0
          ? []
          : [`code: ${plural(files.length, 'file')} of a Strapi project${run ? '' : '; --run loads them'}`]),
        ...uses.map(({ file, line, what }) => `code: ${file}:${line}: ${what} is not supported by Mangrove`),
        ...failures.map(explainError),
      ],
      text: schema && ok ? summary(schema) : undefined,
      failed: !ok,
    };
  },
});

const summary = (schema: Schema): string => {
  const own = [...schema.contentTypes.values()].filter((type) => type.origin === 'api');
  return `OK: ${plural(own.length, 'content type')}, ${plural(schema.components.size, 'component')}, configuration.`;
};
