/** A process that loads a project's code for `mangrove check --run`: without a network and without a database. */
import { Socket } from 'node:net';
import { loadConfig } from '../config/load.js';
import { readProject } from '../project.js';
import type { Closing } from '../strapi/types.js';
import { reasonOf } from '../values/reason-of.js';

/** What the parent process receives: that the project's code is about to be loaded, and what came of it. */
export type Message = 'loading' | Checked;
export type Checked = { readonly problems: readonly Closing[] };

Socket.prototype.connect = (): never => {
  throw new Error('there is no network while the code is checked');
};

async function check(root: string): Promise<readonly Closing[]> {
  const config = await loadConfig(root, process.env, {}, { createsSecrets: false });
  const { code } = await readProject(root, config);
  return code.running ? code.running.inspect() : [];
}

const [, , root = '.'] = process.argv;
process.send?.('loading' satisfies Message);
const problems = await check(root).catch((error: unknown) => [{ file: '', because: reasonOf(error) }]);
process.send?.({ problems } satisfies Checked, () => process.exit(0));
