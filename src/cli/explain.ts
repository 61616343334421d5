import type { Command } from 'commander';
import { type Explanation, explainUrl } from '../describe/explain.js';
import { shellText } from '../describe/shell-text.js';
import { createReader } from '../documents/read/reader.js';
import { globalsOf } from './globals.js';
import { print, printJson } from './output.js';
import { withStore } from './with-store.js';

/** `mangrove explain <url>`: what a request becomes, down to the aggregation. */
export function register(program: Command): void {
  program
    .command('explain <url>')
    .description('show what a read becomes: query, plan, aggregation for mongosh, indexes, time of each step')
    .option('--detail', "the server's own plan too")
    .addHelpText('after', "\nExample:\n  $ mangrove explain '/api/articles?populate=author&sort=title'")
    .action(async (url: string, options: { detail?: boolean }, command: Command) => {
      const { root, json } = globalsOf(command);
      const explanation = await withStore(root, ({ config, schema, store }) => {
        const reader = createReader({ schema, store, config });
        const { prefix } = config.rest;
        return explainUrl(url, { schema, store, reader, prefix, caller: { grants: null } });
      });
      if (json) printJson(explanation);
      else print(explanationText(explanation, options.detail ?? false));
    });
}

function explanationText(
  { query, plan, commands, server, rows, total, timings }: Explanation,
  detail: boolean,
): string {
  const time = timings.map(([name, ms]) => `${name} ${ms.toFixed(2)} ms`).join('  ');
  const sections: readonly (readonly [string, string])[] = [
    ['Query', shellText(query)],
    ['Plan', shellText(plan)],
    ['Commands', commands.join('\n\n')],
    ['Indexes', server.indexes.join(', ') || 'the server names none'],
    ...(detail ? [['Server', shellText(server.detail)] as const] : []),
    ['Answer', total === null ? `${rows} entries` : `${rows} of ${total} entries`],
    ['Time', time],
  ];
  return sections.map(([title, text]) => `${title}\n${text}\n`).join('\n');
}
