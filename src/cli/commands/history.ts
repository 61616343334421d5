import { Option } from 'commander';
import { type KeptChange, keptChanges } from '../../store/history/list.js';
import { table } from '../../terminal/output.js';
import { integer } from '../arguments.js';
import { authorText } from '../author-text.js';
import { type CommandLine, command } from '../command.js';
import { checkHistory, contentTypeNamed } from '../type-named.js';
import { withStore } from '../with-store.js';

const LIMIT = new Option('--limit <number>', 'the most changes').default(50).argParser(integer(1, 99_999));

const shown = ({
  at,
  cause,
  documentId,
  locale,
  status,
  attributes,
  version,
}: KeptChange): readonly string[] => [
  at.toISOString(),
  cause?.event ?? '(not seen)',
  authorText(cause?.by),
  documentId,
  locale ?? '',
  status,
  attributes.join(', '),
  version ?? '',
];

/** `mangrove history`: what happened to the documents of a type. */
export const history = command({
  name: 'history <type> [documentId]',
  does: 'show who changed what in a type with options.history, the newest change first',
  options: [LIMIT],
  help: `
<type> is a uid or a name, such as article. Each change names the version that it made, for
POST /api/:plural/:documentId/versions/:version/restore. A change "not seen" was stored by another program, an import or a migration, or
before the type kept versions.

Example:
  $ mangrove history article k3v9x1 --limit 10`,
  run: (
    { root, options: { limit } }: CommandLine<{ readonly limit: number }>,
    name: string,
    documentId?: string,
  ) =>
    withStore(root, async ({ store, schema }) => {
      const type = contentTypeNamed(schema, name);
      checkHistory(type);
      const data = await keptChanges(store.db, type, { documentId: documentId ?? null, limit });
      const heading = ['at', 'event', 'by', 'documentId', 'locale', 'status', 'attributes', 'version'];
      return { data, text: table(heading, data.map(shown)) };
    }),
});
