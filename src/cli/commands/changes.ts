import { readChanges } from '../../store/outbox/read-changes.js';
import { onStdoutClosed, print } from '../../terminal/output.js';
import { type CommandLine, command } from '../command.js';
import { withStore } from '../with-store.js';

/** `mangrove changes`: prints content events as they are committed. */
export const changes = command({
  name: 'changes',
  does: 'print each create, update, publish and delete as it happens, one line of JSON each',
  options: [['--after <position>', 'continue after the event with this position, instead of from now on']],
  help: `
Events are printed exactly once, in commit order. Every line has a position, from which to continue after an interruption. Events are
kept for a week, on a server with an oplog for as long as it reaches back.

Example:
  $ mangrove changes | while read -r line; do echo "$line" | my-indexer; done`,
  async run({ root, options }: CommandLine<{ readonly after?: string }>) {
    const stop = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
    onStdoutClosed(() => stop.abort());
    await withStore(root, async ({ store }) => {
      for await (const { event, position } of readChanges(store, {
        after: options.after ?? null,
        signal: stop.signal,
      })) {
        const { _id, ...shown } = event;
        print(JSON.stringify({ ...shown, position }));
      }
    });
    return undefined;
  },
});
