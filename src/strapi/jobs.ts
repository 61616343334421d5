import { ConfigError } from '../config/error.js';
import { isObject } from '../values/plain-object.js';
import { type Callable, isCallable, type Values } from './types.js';
import { refuse } from './unsupported.js';

/** A job of a Strapi project, as a row of the project's jobs. */
export interface StrapiJob {
  readonly cron: string;
  readonly timezone?: string;
  run(): unknown;
}

/** Rules as objects, such as `{ hour: 3 }`, are not supported. */
const wrong = (name: string): never => {
  throw new ConfigError([
    `config/cron-tasks › ${name}: options.rule is a cron expression as text, or a date`,
  ]);
};

/** A moment, as croner reads one: in whole seconds. @throws ConfigError */
function momentOf(name: string, value: unknown): Date {
  const date = new Date(value instanceof Date || typeof value === 'number' ? value : String(value));
  if (Number.isNaN(date.getTime())) return wrong(name);
  return new Date(Math.ceil(date.getTime() / 1000) * 1000);
}

/** When a job is due: again and again, or once. @throws ConfigError */
function cronIn(name: string, rule: unknown): string {
  if (typeof rule === 'string') return rule;
  if (!(rule instanceof Date) && typeof rule !== 'number') return wrong(name);
  return momentOf(name, rule).toISOString().replace('.000', '');
}

/**
 * Jobs as Strapi declares them: `{ name: { task, options: { rule, tz, start, end } } }`, `{ '0 3 * * *': task }`,
 * or with a date as options, to run once.
 */
export function jobsOf(tasks: unknown, strapi: object): Readonly<Record<string, StrapiJob>> {
  const jobs: Record<string, StrapiJob> = {};
  for (const [name, task] of Object.entries(Object(tasks))) {
    const { task: given, options }: Values = isObject(task) ? task : { task, options: name };
    if (!isCallable(given)) throw new ConfigError([`config/cron-tasks › ${name}: a function`]);
    const run: Callable = given;
    const isWithTime = isObject(options) && !(options instanceof Date);
    const { rule, tz, start, end }: Values = isWithTime ? options : { rule: options };
    const from = start == null ? null : momentOf(name, start);
    const until = end == null ? null : momentOf(name, end);
    const isDue = (now: Date): boolean => (from === null || now >= from) && (until === null || now <= until);
    jobs[name] = {
      cron: cronIn(name, rule),
      ...(typeof tz === 'string' && { timezone: tz }),
      run: () => (isDue(new Date()) ? run({ strapi }) : undefined),
    };
  }
  return jobs;
}

/** `strapi.cron`: jobs can be added until the server listens. */
export function cronOf(strapi: () => object): {
  readonly cron: Values;
  take(): Readonly<Record<string, StrapiJob>>;
} {
  const added: Record<string, StrapiJob> = {};
  let taken = false;
  return {
    cron: {
      add: (tasks: unknown) => {
        if (taken) refuse('cron.add after the start');
        Object.assign(added, jobsOf(tasks, strapi()));
      },
      remove: () => refuse('cron.remove'),
      get jobs() {
        return Object.keys(added).map((name) => ({ name }));
      },
    },
    take() {
      taken = true;
      return added;
    },
  };
}
