/** Whether a caller may make a request, and what decides. Nothing is stored, and no code of the project is run. */
import type { NamedCaller, RuleTerms } from '../access/index.js';
import { seeing, writeRulesOf } from '../documents/operations/write-rules.js';
import type { ReadRequest } from '../documents/read/reader.js';
import { ApiError } from '../errors.js';
import { entryNamed } from '../http/compat/named-entry.js';
import { routesOutsidePrefix } from '../http/contract-parts.js';
import { routeAt } from '../http/route-at.js';
import { allRoutes } from '../http/routes/all.js';
import type { Project } from '../project.js';
import { paramsQuery, textQuery } from '../query/query.js';
import type { Rule } from '../query/read-plan.js';
import type { ContentType } from '../schema/types.js';

/** A request as a command line names it. */
interface Asked {
  readonly method: string;
  /** A path on the server with its query, or a full URL. */
  readonly url: string;
}

/** A rule of the action. */
interface DecidedRule extends RuleTerms {
  /** Whether the stored entry matches; null: the request names none, or the caller lacks a value. */
  readonly matches: boolean | null;
}

export interface Decision {
  readonly allowed: boolean;
  /** What decides. */
  readonly because: string;
  /** The row of the table of routes. */
  readonly route: string | null;
  /** The action that it requires; null: it is open to everyone. */
  readonly action: string | null;
  /** Who has the action: `role writer`, `token preview`. */
  readonly holder: string;
  readonly rules: readonly DecidedRule[];
}

type Verdict = Pick<Decision, 'allowed' | 'because'> & { readonly rules?: readonly DecidedRule[] };

const yes = (because: string): Verdict => ({ allowed: true, because });
const no = (because: string): Verdict => ({ allowed: false, because });

/** A request for an entry or entries of a content type. */
interface OfContent {
  readonly project: Project;
  readonly named: NamedCaller;
  readonly type: ContentType;
  readonly action: string;
  /** Null: a list, or a single type. */
  readonly documentId: string | null;
  /** Null: it writes. */
  readonly reads: ReadRequest | null;
}

export async function decide(
  project: Project,
  named: NamedCaller,
  { method, url }: Asked,
): Promise<Decision> {
  const { config } = project;
  const [address = '', ...query] = url.split('?');
  const path = address.replace(/^[a-z]+:\/\/[^/]+/i, '') || '/';
  const table = [...allRoutes(project), ...routesOutsidePrefix(config)];
  const found = routeAt(table, config.rest.prefix, { method, path });
  const route = found?.route ?? null;
  const action = route?.action ?? null;
  const { rules = [], ...verdict } = await (async (): Promise<Verdict> => {
    if (!found && config.server.mcp && path === '/mcp')
      return yes('each tool asks for the actions that it uses');
    if (!found) return no(`no route answers ${method.toUpperCase()} ${path}`);
    const { closed, operation } = found.route;
    if (closed) return no('the route is closed: its code is not run');
    if (action === null) return yes('the route is open to everyone');
    if (named.barred !== null) return no(named.barred);
    if (named.caller.grants?.allows(action) !== true) return no(`${named.holder} does not have the action`);
    const isOlder = operation?.kind === 'compat';
    const uid = operation?.kind === 'content' ? operation.uid : action.slice(0, action.lastIndexOf('.'));
    const type = project.schema.contentTypes.get(uid);
    if (!(isOlder || operation?.kind === 'content') || type?.origin !== 'api')
      return yes(`${named.holder} has the action`);
    const id = found.params['documentId'] ?? found.params['id'] ?? null;
    const entry = isOlder && id !== null ? await entryNamed(project, type, id) : { documentId: id };
    // Of a query of older clients only the entry is known.
    const asked = isOlder
      ? paramsQuery({ ...('locale' in entry && { locale: entry.locale }) })
      : textQuery(query.join('?'));
    const reads = found.route.method === 'get' ? { type, caller: named.caller, query: asked } : null;
    return decideContent({ project, named, type, action, documentId: entry.documentId, reads });
  })();
  return {
    ...verdict,
    route:
      route && `${route.method.toUpperCase()} ${route.outsidePrefix ? '' : config.rest.prefix}${route.path}`,
    action,
    holder: named.holder,
    rules,
  };
}

async function decideContent(of: OfContent): Promise<Verdict> {
  const { project, named, type, action, reads } = of;
  const written = named.rulesOf(action);
  const single = type.kind === 'singleType';
  try {
    if (reads)
      project.reader.prepare({
        ...reads,
        target: single ? 'single' : of.documentId === null ? 'list' : 'one',
      });
  } catch (error) {
    return refusal(error);
  }
  const documentId = of.documentId ?? (single ? await documentOf(project, type) : null);
  const without = yes(`${named.holder} has the action ${written.length > 0 ? 'by rule' : 'without a rule'}`);
  if (documentId === null) {
    const rules = written.map(({ terms }) => ({ ...terms, matches: null }));
    // A role is asked for all its accounts.
    const lacking = named.kind !== 'role' && written.length > 0 && written.every(({ rule }) => rule === null);
    return { ...(lacking ? no('no rule has the value that it names of the caller') : without), rules };
  }
  const entry = { ...of, documentId };
  const rules = await Promise.all(
    written.map(async ({ terms, rule }) => ({ ...terms, matches: rule && (await isMatch(entry, rule)) })),
  );
  const allowed = await isAllowed(entry);
  if (allowed) {
    const at = rules.findIndex(({ matches }) => matches === true);
    return { ...(at === -1 ? without : yes(`rule ${at + 1} of ${named.holder} matches the entry`)), rules };
  }
  if (!(await exists(entry))) return { ...no('there is no such entry'), rules };
  if (named.kind === 'role' && written.some(({ rule }) => rule === null))
    return { ...no('a rule names a value of the account: name an account instead of its role'), rules };
  const isHidden = rules.length === 0 || rules.some(({ matches }) => matches === true);
  const because = isHidden
    ? `the rules of ${named.holder} for reading hide the entry`
    : `no rule of ${named.holder} matches the entry`;
  return { ...no(because), rules };
}

const refusal = (error: unknown): Verdict => {
  if (error instanceof ApiError) return no(error.message);
  throw error;
};

type OfEntry = OfContent & { readonly documentId: string };

/** Whether the caller may read the entry, or its rules let it begin the write. */
async function isAllowed(of: OfEntry): Promise<boolean> {
  const { project, named, action, documentId, reads } = of;
  if (reads) return (await project.reader.one(reads, documentId)).data !== null;
  const rules = named.caller.grants?.rulesOf?.(action) ?? null;
  return (await exists(of)) && mayBegin(of, rules, named.caller.grants);
}

async function mayBegin(
  { project, type, documentId }: OfEntry,
  rules: readonly Rule[] | null,
  grants: NamedCaller['caller']['grants'],
): Promise<boolean> {
  try {
    await writeRulesOf({ type, caller: { grants }, rules }, project)?.checkDocument(documentId);
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** Whether the entry matches one rule, whatever the others say. */
async function isMatch(of: OfEntry, rule: Rule): Promise<boolean> {
  const { project, named, type, documentId, reads } = of;
  const { values } = named;
  if (!reads) return (await exists(of)) && mayBegin(of, [rule], { version: '', allows: () => true, values });
  const grants = rule.where && seeing(type, [[rule.where]], values);
  return (await project.reader.one({ ...reads, caller: { grants } }, documentId)).data !== null;
}

/** Whether the request would find the entry if there were no rules. */
async function exists({ project, type, documentId, reads }: OfEntry): Promise<boolean> {
  const { reader } = project;
  if (reads) return (await reader.one({ ...reads, caller: { grants: null } }, documentId)).data !== null;
  const versions = (['draft', 'published'] as const).map((status) =>
    reader.count({
      type,
      caller: { grants: null },
      query: paramsQuery({ filters: { documentId }, status, locale: '*' }),
    }),
  );
  return (await Promise.all(versions)).some((count) => count > 0);
}

/** The document of a single type; null before the first write. */
async function documentOf({ reader }: Project, type: ContentType): Promise<string | null> {
  for (const status of ['draft', 'published']) {
    const query = paramsQuery({ status, locale: '*', fields: ['documentId'] });
    const { data } = await reader.single({ type, caller: { grants: null }, query });
    if (data) return String(data['documentId']);
  }
  return null;
}
