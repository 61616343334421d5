import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Store } from '../../src/store/client.js';

/** Why a recorded response differs: a row of rules 0.4, or something that another server cannot do. */
export interface Exception {
  readonly row?: number;
  readonly why: string;
}

type Exceptions = Readonly<Record<string, Readonly<Record<string, Exception>>>>;

/** `everywhere` holds deliberate differences; the other members hold what one server cannot do. */
const LISTS: Exceptions = JSON.parse(readFileSync(join(import.meta.dirname, 'exceptions.json'), 'utf8'));

/** The server that a store uses, as its list in `exceptions.json` is called. */
export const engineOf = async ({ db }: Store): Promise<string> => {
  const [hello, build] = await Promise.all([db.command({ hello: 1 }), db.command({ buildInfo: 1 })]);
  if (build['ferretdb'] !== undefined) return 'ferretdb';
  return hello['setName'] === 'secantus' ? 'secantusdb' : 'mongodb';
};

/** The exceptions for a server, by the names of cases. */
export const exceptionsOn = (engine: string): Readonly<Record<string, Exception>> => ({
  ...LISTS['everywhere'],
  ...LISTS[engine],
});
