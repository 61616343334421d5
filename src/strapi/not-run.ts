import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config/types.js';
import { isExtendable } from './plugin-uses.js';
import { isTemplate } from './templates.js';
import type { CodeFile } from './types.js';

/** What is closed because code is not run (`code.run: false`). */
export interface NotRun {
  /** The beginning of the actions that it closes; null: every route. */
  readonly prefix: string | null;
  /** The file, or the name of a middleware: by it the operator can open what it closes. */
  readonly name: string;
  readonly because: string;
}

/** Files that are only used by others, or that no request waits for. */
const HARMLESS: ReadonlySet<CodeFile['kind']> = new Set(['policy', 'middleware', 'cron']);

/** What stays closed in a project whose code is not run: everything that has code other than Strapi's templates. */
export async function closedWithoutCode(
  root: string,
  files: readonly CodeFile[],
  { ignore, middlewares }: Config['code'],
): Promise<readonly NotRun[]> {
  const closed: NotRun[] = middlewares.map((name) => ({
    prefix: null,
    name,
    because: `config/middlewares runs ${name} before every route`,
  }));
  for (const { file, kind, uid } of files) {
    if (HARMLESS.has(kind) || (kind === 'extension' && !isExtendable(uid))) continue;
    if (isTemplate(await readFile(join(root, file), 'utf8').catch(() => ''))) continue;
    const api = uid.startsWith('api::') ? `${uid.slice(0, uid.indexOf('.'))}.` : null;
    closed.push({ prefix: api, name: file, because: `${file} is not run` });
  }
  return closed.filter(({ name }) => ignore !== true && !ignore.includes(name));
}
