import { type PlacedSetting, rowsOf } from '../../src/config/setting.js';
import { SETTINGS } from '../../src/config/settings.js';
import { asTable } from './as-table.js';

type Row = PlacedSetting['setting']['row'];

const code = (text: string): string => `\`${text}\``;

const standardOf = ({ standard }: Row): string => {
  if (standard === undefined) return '–';
  if (standard === '') return 'generated';
  if (standard === null || typeof standard === 'number' || typeof standard === 'boolean')
    return String(standard);
  return code(typeof standard === 'string' ? standard : JSON.stringify(standard));
};

const ROWS = rowsOf(SETTINGS).map(({ setting }) => setting.row);

/** The settings of one file of `config/`. */
export const fileTable = (file: string): string =>
  asTable(
    ['key', 'default', 'meaning'],
    ROWS.filter((row) => row.file === file).map((row) => [code(row.path), standardOf(row), row.about]),
  );

/** The options of the middlewares of config/middlewares. */
export const middlewareTable = (): string =>
  asTable(
    ['middleware', 'option', 'default', 'meaning'],
    ROWS.filter(({ file }) => file?.startsWith('strapi::')).map((row) => [
      code(row.file ?? ''),
      row.path === '' ? '–' : code(row.path),
      standardOf(row),
      row.about,
    ]),
  );

const placeOf = ({ file, path, about }: Row): string =>
  file === null ? about : `${code(path)} of ${file.includes('::') ? code(file) : `config/${file}`}`;

/** The environment variables that win over the files. */
export const variableTable = (): string =>
  asTable(
    ['variable', 'sets'],
    ROWS.flatMap((row) => (row.variable === undefined ? [] : [[code(row.variable), placeOf(row)]])),
  );
