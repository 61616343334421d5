import type { Command } from 'commander';
import { shownValues } from '../../config/setting.js';
import { SETTINGS } from '../../config/settings.js';
import { noteEvent, print, printJson } from '../../terminal/output.js';
import { isObject } from '../../values/plain-object.js';
import { globalsOf } from '../globals.js';
import { loadSettings } from '../project-schema.js';

/** `mangrove config dump`: the settings in force. */
export function register(program: Command): void {
  program
    .command('config')
    .description('show the effective settings')
    .command('dump')
    .description(
      'every setting with its value, from defaults, config/* and the environment; secrets are left out',
    )
    .addHelpText(
      'after',
      `
Examples:
  $ mangrove config dump | grep rest
  $ NODE_ENV=production mangrove config dump --json`,
    )
    .action(async (_options: unknown, command: Command) => {
      const { root, json } = globalsOf(command);
      const config = await loadSettings(root);
      for (const warning of config.warnings) noteEvent(warning);
      const shown = { root: config.root, ...shownValues(SETTINGS, config) };
      if (json) printJson(shown);
      else print(lines(shown, '').join('\n'));
    });
}

/** `rest.prefix = "/api"`, one setting a line. */
const lines = (value: unknown, path: string): readonly string[] =>
  isObject(value) && Object.keys(value).length > 0
    ? Object.entries(value).flatMap(([key, inner]) => lines(inner, path === '' ? key : `${path}.${key}`))
    : [`${path} = ${JSON.stringify(value)}`];
