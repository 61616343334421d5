import { resolve } from 'node:path';
import type { Command } from 'commander';

/** The options of every command, given before or after its name. */
export interface Globals {
  /** The project's folder, absolute. */
  readonly root: string;
  readonly json: boolean;
  /** What Mangrove needs may be made beside collections of other programs. */
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
