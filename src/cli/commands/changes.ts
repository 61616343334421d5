import { errors } from '../../errors.js';
import { readChanges } from '../../store/outbox/read-changes.js';
import { onStdoutClosed, print } from '../../terminal/output.js';
import { type CommandLine, command } from '../command.js';
import { withStore } from '../with-store.js';

interface Options {
  readonly after?: string;
  readonly uids?: string[];
}

/** `mangrove changes`: prints the changes of content as they are committed. */
export const changes = command({
  name: 'changes',
  does: 'print each create, update, publish and delete as it happens, one line of JSON each',
  options: [
    ['--after <position>', 'continue after the change with this position, instead of from now on'],
    ['--uids <uid...>', 'only changes of these content types'],
  ],
  help: `
Changes are printed at least once, those of a document in order: its type, document and locale, the versions that were changed with
their revisions before and after, who did it, and the request. Every line has a position, from which to continue after an interruption,
and a changeId, which is the same if a change is printed again. Changes are kept for as long as changes.days and changes.maxBytes in
config/server say. Scripts read the same with \`changes()\` of \`connect()\`.

Example:
  $ mangrove changes --json | while read -r line; do echo "$line" | my-indexer; done`,
  async run({ root, options: { after, uids } }: CommandLine<Options>) {
    const stop = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
    onStdoutClosed(() => stop.abort());
    await withStore(root, async ({ store, schema }) => {
      const unknown = uids?.find((uid) => !schema.contentTypes.has(uid));
      if (unknown !== undefined)
        throw errors.validation('content-type-unknown', `Content type ${unknown} does not exist`);
      const options = { after: after ?? null, ...(uids && { uids }), signal: stop.signal };
      for await (const change of readChanges(store, options)) print(JSON.stringify(change));
    });
    return undefined;
  },
});
