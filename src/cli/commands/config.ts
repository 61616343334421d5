import { printedValues } from '../../config/setting.js';
import { SETTINGS } from '../../config/settings.js';
import { noteWarnings } from '../../terminal/output.js';
import { isObject } from '../../values/plain-object.js';
import { command } from '../command.js';
import { loadSettings } from '../project-schema.js';

const dump = command({
  name: 'dump',
  does: 'every setting with its value, from defaults, config/* and the environment; secrets are left out',
  help: `
Examples:
  $ mangrove config dump | grep rest
  $ NODE_ENV=production mangrove config dump --json`,
  async run({ root }) {
    const settings = noteWarnings(await loadSettings(root));
    const data = { root: settings.root, ...printedValues(SETTINGS, settings) };
    return { data, text: lines(data, '').join('\n') };
  },
});

/** One setting per line: `rest.prefix = "/api"`. */
const lines = (value: unknown, path: string): readonly string[] =>
  isObject(value) && Object.keys(value).length > 0
    ? Object.entries(value).flatMap(([key, inner]) => lines(inner, path === '' ? key : `${path}.${key}`))
    : [`${path} = ${JSON.stringify(value)}`];

/** `mangrove config dump`: shows the effective settings. */
export const config = command({ name: 'config', does: 'show the effective settings', commands: [dump] });
