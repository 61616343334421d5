import { planWrite } from '../../documents/plan/plan-write.js';
import { compileValidator, type Validator } from '../../documents/validate/validator.js';
import type { Schema } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import { isBson } from '../../values/bson.js';
import { memberOf, oncePer } from '../../values/once-per.js';
import { shortly } from '../../values/shortly.js';
import type { Import } from '../run/context.js';
import { moved } from '../source/types.js';
import type { VersionToBuild } from './tools.js';

const validators = oncePer((_schema: Schema) => new Map<string, Validator>());

/**
 * Counts the values of an entry that its attributes no longer allow, such as one that an enumeration no longer
 * has. They are imported, but a client could not write them: publishing checks the whole entry.
 */
export function countDisallowed(
  run: Import,
  entry: Entry,
  { type, status, row, copy }: VersionToBuild,
): void {
  // A copy has the same values; files and accounts are written by their own routes.
  if (copy || type.origin !== 'api') return;
  const validator = memberOf(validators(run.schema), type.uid, () => compileValidator(run.schema, type));
  const plan = planWrite(run.schema, { type, data: {}, action: 'create', inherited: entry });
  const mode = type.draftAndPublish ? status : 'published';
  const named = new Set<string>();
  for (const { path, message, value } of validator.faults(plan, mode)) {
    const name = path.filter((part) => !/^\d+$/.test(part)).join('.');
    if (named.has(name)) continue;
    named.add(name);
    const example = `${shortly(isBson(value) ? String(value) : (value ?? null))} in ${row._id} (${message})`;
    const found = memberOfRecord(run.state.disallowed, `${type.uid} ${name}`, { count: 0, example });
    found.count += 1;
  }
}

function memberOfRecord<T>(record: Record<string, T>, key: string, fresh: T): T {
  record[key] ??= fresh;
  return record[key];
}

/** Reports the counts, with an example for each attribute. */
export function reportDisallowed({ state, report }: Import): void {
  for (const [at, { count, example }] of Object.entries(state.disallowed)) {
    const entries = count === 1 ? '1 entry has a value' : `${count} entries have a value`;
    const why = `${entries} that the attribute does not allow, such as ${example}; it stays until it is changed`;
    report(moved('value', at, why));
  }
}
