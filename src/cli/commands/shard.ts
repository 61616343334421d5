import { shardPlan } from '../../describe/shard-plan.js';
import { command } from '../command.js';
import { withStore } from '../with-store.js';

const plan = command({
  name: 'plan',
  does: 'print the mongosh commands that shard the types with options.shard, without running them',
  async run({ root }) {
    const commands = await withStore(root, async ({ store, schema, config }) =>
      shardPlan(schema, store.db.databaseName, config.plugins.i18n.locales),
    );
    return { data: commands, text: commands.join('\n') || 'No content type has options.shard.' };
  },
});

/** `mangrove shard plan`: prints the commands that shard content types. */
export const shard = command({
  name: 'shard',
  does: 'distribute content types over the shards of a cluster',
  commands: [plan],
});
