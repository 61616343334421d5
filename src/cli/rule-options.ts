/** The options by which commands take the rule of an action. */

import { allActions } from '../access/index.js';
import type { Permission } from '../config/types.js';
import { errors } from '../errors.js';
import type { Project } from '../project.js';
import { declaredRoutes } from '../strapi/open.js';
import { parseJson } from '../values/json.js';
import { isPlainObject } from '../values/plain-object.js';
import { refused } from './command.js';

/** The terms of a rule, each as an option. */
export interface RuleOptions {
  readonly where?: string;
  readonly fields?: readonly string[];
  readonly write?: readonly string[];
  readonly set?: string;
}

export const RULE_TERMS = ['where', 'fields', 'write', 'set'] as const;

export const RULE_OPTIONS = [
  ['--where <filter>', 'a rule: the entries for which the actions are granted, as a filter in JSON'],
  ['--fields <attributes...>', 'a rule for find and findOne: the attributes that exist for the caller'],
  ['--write <attributes...>', 'a rule for create and update: the attributes that may be sent'],
  ['--set <values>', 'a rule for create and update: what is stored whatever is sent, in JSON'],
] as const;

function jsonOf(option: string, text: string): unknown {
  const parsed = parseJson(text);
  if (!parsed) throw refused(`--${option} expects JSON, such as '{"approved":true}'`);
  return parsed.value;
}

/** Null: the actions have no rule. */
function termsOf({ where, fields, write, set }: RuleOptions): Readonly<Record<string, unknown>> | null {
  const terms = {
    ...(where !== undefined && { where: jsonOf('where', where) }),
    ...(fields && { fields }),
    ...(write && { write }),
    ...(set !== undefined && { set: jsonOf('set', set) }),
  };
  return Object.keys(terms).length === 0 ? null : terms;
}

/** A permission with a rule of its own, as `config/roles` writes it. */
function writtenOut(text: string): Readonly<Record<string, unknown>> & { readonly action: string } {
  const value = parseJson(text)?.value;
  if (!isPlainObject(value) || typeof value['action'] !== 'string')
    throw refused(`${text} is no permission: expected an action, or JSON with "action"`);
  return { ...value, action: value['action'] };
}

/** `article` is short for `api::article.article`, and `article.*` matches all its actions. */
const matches = (pattern: string): ((action: string) => boolean) => {
  const full = /^[a-z0-9-]+\./.test(pattern) ? pattern.replace(/^([^.]+)\./, 'api::$1.$1.') : pattern;
  return full.endsWith('.*') ? (action) => action.startsWith(full.slice(0, -1)) : (action) => action === full;
};

/**
 * The given actions: `api::article.article.find`, `article.find` for short, or `article.*`. Throws for a name
 * that no route requires, so that a typo does not pass for a grant.
 */
const checkActions = (
  project: Pick<Project, 'schema' | 'own' | 'code'>,
  names: readonly string[],
): readonly string[] => {
  const actions = allActions(project.schema, declaredRoutes(project));
  return names.flatMap((name) => {
    const named = actions.filter(matches(name));
    if (named.length === 0)
      throw errors.application(
        'action-unknown',
        `No route requires the action ${name}; mangrove routes list shows them`,
      );
    return named;
  });
};

/**
 * The permissions of a command line: actions, to which the rule of its options applies, and permissions in JSON with
 * rules of their own. Throws for an action that no route requires.
 */
export function permissionsOf(
  project: Pick<Project, 'schema' | 'own' | 'code'>,
  names: readonly string[],
  options: RuleOptions,
): readonly Permission[] {
  const terms = termsOf(options);
  return names.flatMap((name): readonly Permission[] => {
    if (!name.startsWith('{')) {
      const actions = checkActions(project, [name]);
      return terms === null ? actions : actions.map((action) => ({ action, ...terms }));
    }
    const { action, ...own } = writtenOut(name);
    return checkActions(project, [action]).map((one) => ({ action: one, ...terms, ...own }));
  });
}

/** Such as `api::note.note.find where {"flag":true}`. */
export function permissionText(permission: Permission): string {
  if (typeof permission === 'string') return permission;
  const { action, ...terms } = permission;
  return `${action} ${termsText(terms)}`;
}

/** Such as `where {"flag":true} fields ["title"]`. */
export const termsText = (terms: object): string =>
  Object.entries(terms)
    .map(([term, value]) => `${term} ${JSON.stringify(value)}`)
    .join(' ');
