import { join } from 'node:path';
import type { ConfigOverrides } from '../../src/config/types.js';
import { startServing as serveProject } from '../../src/serve/index.js';
import { serve } from './child.js';

/** What everyone may do with the content types of the benchmark. */
export const ACTIONS = ['restaurant', 'category', 'person', 'chef']
  .flatMap((type) =>
    ['find', 'findOne', 'create', 'update'].map((action) => `api::${type}.${type}.${action}`),
  )
  .concat(
    ['their-shop', 'their-owner'].flatMap((type) =>
      ['find', 'findOne'].map((action) => `api::${type}.${type}.${action}`),
    ),
  );

/**
 * Mangrove as `npm start` runs it, with the content types of the benchmark and nothing in the log, until it is told to end.
 * @param root of the project
 */
export async function serveBenchmark(
  overrides: ConfigOverrides,
  root = join(process.cwd(), 'scripts', 'bench'),
): Promise<void> {
  const serving = await serveProject({
    root,
    env: { NODE_ENV: 'production' },
    agreed: true,
    overrides: { middlewares: { logger: { level: 'silent' } }, ...overrides },
  });
  process.once('SIGTERM', () => serving.stop().then(() => process.exit(0)));
  serve(`http://127.0.0.1:${serving.port}`);
}
