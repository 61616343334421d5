import type { Command } from 'commander';
import { shardPlan } from '../../describe/shard-plan.js';
import { print, printJson } from '../../terminal/output.js';
import { globalsOf } from '../globals.js';
import { withStore } from '../with-store.js';

/** `mangrove shard plan`: the commands that distribute content types over shards. */
export function register(program: Command): void {
  program
    .command('shard')
    .description('distribute content types over the shards of a cluster')
    .command('plan')
    .description('print the mongosh commands that shard the types with options.shard, without running them')
    .action(async (_options: unknown, command: Command) => {
      const { root, json } = globalsOf(command);
      const commands = await withStore(root, async ({ store, schema, config }) =>
        shardPlan(schema, store.db.databaseName, config.plugins.i18n.locales),
      );
      if (json) printJson(commands);
      else print(commands.length === 0 ? 'No content type has options.shard.' : commands.join('\n'));
    });
}
