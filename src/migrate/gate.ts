import type { Config } from '../config/types.js';
import { MigrationError } from './error.js';
import { stepText } from './files.js';
import { up } from './migrate.js';
import { mergeShapes } from './shape.js';
import { hasContent, type MigrateParts, noteApplied, standingOf } from './standing.js';

/** What a start does if the stored content requires a migration: `database.migrations`. */
export type MigrationMode = Config['database']['migrations'];

/**
 * Compares the stored content with the schema files before anything is served, since content of another
 * schema would appear as raw BSON or nulls. The first time, the current schema is recorded as applied.
 * @throws MigrationError if a migration is required and `mode` does not run it
 */
export async function passGate(parts: MigrateParts, mode: MigrationMode): Promise<void> {
  if (mode === 'ignore') return;
  const { applied, current, pending } = await standingOf(parts);
  if (!applied) {
    // A new database contains nothing to migrate.
    const fresh = pending.length === 0 || !(await hasContent(parts.store, current));
    if (fresh) return noteApplied(parts, current, pending);
  }
  if (pending.length > 0 && mode === 'run') await up(parts);
  const now = await standingOf(parts);
  const running = now.runs.find(({ state }) => state !== 'done');
  const problems = [
    ...(running ? [`  ${running._id} was interrupted`] : []),
    ...now.pending.map(({ file }) => `  ${file} is not applied`),
    ...now.needed.flatMap(({ says, steps }) => [
      `  ${says}`,
      ...steps.map((step) => `    ${stepText(step)}`),
    ]),
  ];
  if (problems.length > 0)
    throw new MigrationError(
      `The stored content does not match the schema:\n${problems.join('\n')}\n${
        now.pending.length > 0 || running
          ? 'mangrove migrate up applies the pending migrations (--dry-run shows what they would change).'
          : 'mangrove migrate create writes the migration that is needed.'
      }`,
    );
  const merged = mergeShapes(now.applied ?? current, current);
  if (JSON.stringify(merged) !== JSON.stringify(now.applied)) await noteApplied(parts, merged);
}
