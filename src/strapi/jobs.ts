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

/** Dates and rules as objects are not supported. */
const wrong = (name: string): never => {
  throw new ConfigError([`config/cron-tasks › ${name}: options.rule is a cron expression as text`]);
};

/** Jobs as Strapi declares them: `{ name: { task, options: { rule, tz } } }`, or `{ '0 3 * * *': task }`. */
export function jobsOf(tasks: unknown, strapi: object): Readonly<Record<string, StrapiJob>> {
  const jobs: Record<string, StrapiJob> = {};
  for (const [name, task] of Object.entries(Object(tasks))) {
    const { task: given, options }: Values = isObject(task) ? task : { task, options: name };
    if (!isCallable(given)) throw new ConfigError([`config/cron-tasks › ${name}: a function`]);
    const run: Callable = given;
    const { rule, tz } = isObject(options) ? options : { rule: options, tz: undefined };
    if (typeof rule !== 'string') return wrong(name);
    jobs[name] = {
      cron: rule,
      ...(typeof tz === 'string' && { timezone: tz }),
      run: () => run({ strapi }),
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
