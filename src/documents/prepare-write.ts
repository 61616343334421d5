/**
 * Prepares the body of a write before it is built: plan, resolve, validate (docs/architecture.md, "The life
 * of a write").
 */
import type { Entry } from '../store/entries/changes.js';
import { isObject } from '../values/plain-object.js';
import { findTaken, refuseRepeated } from './claims/taken.js';
import type { BuildContext, DocumentRef } from './context.js';
import { planBody, type WriteBody } from './plan/plan-write.js';
import type { WritePlan } from './plan/write-plan.js';
import { type Resolved, resolveTargets } from './resolve/targets.js';
import { checkAllowedFiles } from './validate/allowed-files.js';
import { checkPlan, modeOf } from './validate/check.js';
import type { ValidationMode } from './validate/json-schema.js';
import { hashPasswords } from './validate/passwords.js';

/** What an entry is built from. */
export interface PreparedWrite {
  /** Validated; scalars are in stored form. */
  readonly plan: WritePlan;
  readonly resolved: Resolved;
}

type Given = Omit<WriteBody, 'type'> & {
  /** The attributes whose values need not be valid, since they repeat what is stored; ajv paths. */
  readonly excused?: (plan: WritePlan) => readonly string[];
};

/**
 * Prepares the version that a body writes first: the draft, or the only version of its type. Throws a 400 for
 * an invalid body.
 */
export const prepareWrite = (
  write: BuildContext,
  document: DocumentRef,
  body: Given,
): Promise<PreparedWrite> =>
  prepare(write, document, body, {
    mode: modeOf(document.type),
    unique: ({ root }) => root.values,
  });

/**
 * Prepares the publication of a draft, which is validated in full but for what is excused. With `update`,
 * only what `draft` holds is published.
 */
export const preparePublication = (
  write: BuildContext,
  document: DocumentRef,
  draft: Entry,
  { action = 'create', excused }: Partial<Pick<Given, 'action' | 'excused'>> = {},
): Promise<PreparedWrite> =>
  prepare(
    write,
    document,
    { data: {}, action, inherited: draft, ...(excused && { excused }) },
    { mode: 'published', unique: () => draft },
  );

/**
 * Throws a 400 if a body refers to a document that does not exist. Strapi says so even if the document that is to be
 * updated does not exist either.
 */
export async function checkTargets(
  write: BuildContext,
  document: DocumentRef,
  { data, action }: Pick<WriteBody, 'data' | 'action'>,
): Promise<void> {
  if (!isObject(data)) return;
  const { needs } = planBody(write, { type: document.type, data, action });
  await resolveTargets(write, document, needs.targets);
}

interface Rules {
  readonly mode: ValidationMode;
  /** The entry whose unique values must not be taken. */
  readonly unique: (plan: WritePlan) => Entry;
}

async function prepare(
  write: BuildContext,
  document: DocumentRef,
  body: Given,
  { mode, unique }: Rules,
): Promise<PreparedWrite> {
  const { trace } = write;
  const { type } = document;
  const { excused, ...given } = body;
  const planned = planBody(write, { ...given, type });
  const plan = excused ? { ...planned, hidden: [...planned.hidden, ...excused(planned)] } : planned;
  trace?.planned?.(plan);
  const resolved = await resolveTargets(write, document, plan.needs.targets);
  trace?.resolved?.(
    plan.needs.targets.map((target) => ({ ...target, found: resolved.documentId(target.uid, target) })),
  );
  // Drafts may hold duplicates; adopted collections have their own indexes.
  const isUnique = mode === 'published' && !type.storage;
  const taken = () => findTaken(write, document, unique(plan));
  await checkPlan(write, plan, { mode, missing: resolved.missing, ...(isUnique && { taken }) });
  if (isUnique) refuseRepeated(write, document, unique(plan));
  await checkAllowedFiles(write, plan, resolved);
  await hashPasswords(write, plan);
  trace?.validated?.();
  return { plan, resolved };
}
