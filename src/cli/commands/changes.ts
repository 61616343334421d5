import type { Command } from 'commander';
import { readChanges } from '../../store/outbox/read-changes.js';
import { print } from '../../terminal/output.js';
import { globalsOf } from '../globals.js';
import { withStore } from '../with-store.js';

/** `mangrove changes`: the events of the content as they are committed. */
export function register(program: Command): void {
  program
    .command('changes')
    .description('print what is created, updated, published and deleted as it happens, one line of JSON each')
    .option('--after <position>', 'go on after the event with this position, instead of from now on')
    .addHelpText(
      'after',
      `
Events come in the order of their commits, each once. Every line has its position, to go on from after an interruption; events are
kept for a week, and for as long as the oplog reaches back where the server has one.

Example:
  $ mangrove changes | while read -r line; do echo "$line" | my-indexer; done`,
    )
    .action(async ({ after }: { readonly after?: string }, command: Command) => {
      const { root } = globalsOf(command);
      const ending = new AbortController();
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());
      await withStore(root, async ({ store }) => {
        for await (const { event, position } of readChanges(store, {
          after: after ?? null,
          signal: ending.signal,
        })) {
          const { _id, ...said } = event;
          print(JSON.stringify({ ...said, position }));
        }
      });
    });
}
