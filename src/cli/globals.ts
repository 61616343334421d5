import { resolve } from 'node:path';
import type { Command } from 'commander';

/** The options of every command, which may precede or follow its name. */
export interface Globals {
  /** Absolute path of the project's folder. */
  readonly root: string;
  readonly json: boolean;
  /** Mangrove may create its collections in a database that has those of other programs. */
  readonly yes: boolean;
}

export const globalsOf = (command: Command): Globals => {
  const {
    root,
    json = false,
    yes = false,
  } = command.optsWithGlobals<{ root: string; json?: boolean; yes?: boolean }>();
  return { root: resolve(root), json, yes };
};
