import { resolve } from 'node:path';
import type { Command } from 'commander';

/** The options of every command, given before or after its name. */
export interface Globals {
  /** The project's folder, absolute. */
  readonly root: string;
  readonly json: boolean;
}

export const globalsOf = (command: Command): Globals => {
  const { root, json } = command.optsWithGlobals<{ root?: string; json?: boolean }>();
  return { root: resolve(root ?? '.'), json: json ?? false };
};
