import { type AppliedRepair, repair } from '../../schema/check/repair.js';
import type { CustomFields } from '../../schema/files/source.js';
import { objectAt } from '../../values/plain-object.js';
import { type ImportProblem, moved } from '../source/types.js';
import type { PlannedFile } from './plan.js';

/** Files that can be used, and what was changed for that. */
interface RepairedFiles {
  readonly files: readonly PlannedFile[];
  readonly problems: readonly ImportProblem[];
}

/**
 * Changes what is wrong in planned files to a supported form, so that no schema prevents an import. Each change
 * is noted in the file, under `pluginOptions.mangrove.changed`.
 */
export function repairFiles(files: readonly PlannedFile[], customFields: CustomFields = {}): RepairedFiles {
  const { files: repaired, changes } = repair(files, customFields, 'import');
  return {
    files: repaired.map((file) => {
      const own = changes.filter((change) => change.file === file.file);
      const content = objectAt(file.content);
      return { ...file, content: own.length === 0 ? content : withNotes(content, own) };
    }),
    problems: changes.map((change) => moved('schema', `${change.uid} ${change.path}`, noteOf(change))),
  };
}

const noteOf = ({ expected, does }: AppliedRepair): string => `expected ${expected}; ${does}`;

function withNotes(
  content: PlannedFile['content'],
  changes: readonly AppliedRepair[],
): PlannedFile['content'] {
  const changed = Object.fromEntries(changes.map((change) => [change.path, noteOf(change)]));
  const mangrove = { ...objectAt(content, 'pluginOptions', 'mangrove'), changed };
  return { ...content, pluginOptions: { ...objectAt(content, 'pluginOptions'), mangrove } };
}
