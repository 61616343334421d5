import { join } from 'node:path';
import { openProject } from '../../src/project.js';
import { textQuery } from '../../src/query/query.js';
import { readCases } from './read-cases.js';

/** Microseconds of one case's own steps, medians: everything but the driver and JSON. */
export interface OwnWork {
  readonly name: string;
  /** Parse, check, plan and compile, which a kept plan spares. */
  readonly prepare: number;
  /** Turning the rows of the page into the answer. */
  readonly render: number;
}

const WARM_UP = 300;
const RUNS = 300;

const median = (list: readonly number[]): number =>
  [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN;

/** Times the pure steps of each list within this process, each with a plan made anew, on a database that holds `size` restaurants. */
export const measureOwn = async (
  database: { readonly uri: string; readonly name: string; readonly dataDir: string },
  size: number,
  isWanted: (name: string) => boolean,
): Promise<readonly OwnWork[]> => {
  const project = await openProject({
    root: join(process.cwd(), 'scripts', 'bench'),
    env: { NODE_ENV: 'development' },
    overrides: { database, middlewares: { logger: { level: 'silent' } } },
  });
  const type = project.schema.contentTypes.get('api::restaurant.restaurant');
  /** Plans are kept for each set of grants. */
  const callerOf = (n: number) => ({ grants: { version: `bench ${n}`, allows: () => true } });
  const work: OwnWork[] = [];
  for (const { name: title, path } of type ? readCases : []) {
    const [route = '', query = ''] = path(0, size).split('?');
    if (!type || route !== '/restaurants' || !isWanted(title)) continue;
    const prepare: number[] = [];
    const render: number[] = [];
    for (let n = 0; n < WARM_UP + RUNS; n++) {
      const { timings } = await project.reader.list({
        type,
        query: textQuery(query),
        caller: callerOf(n),
      });
      const ms = (step: string): number => timings.find(([known]) => known === step)?.[1] ?? 0;
      if (n < WARM_UP) continue;
      prepare.push(1000 * (ms('parse') + ms('check') + ms('plan') + ms('compile')));
      render.push(1000 * ms('render'));
    }
    work.push({ name: title, prepare: median(prepare), render: median(render) });
  }
  await project.close();
  return work;
};
