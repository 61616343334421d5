import { rm, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import qs from 'qs';
import { type Multipart, type ReceivedFile, readMultipart } from '../media/read-multipart.js';
import { withScratch } from '../media/scratch.js';
import { addTo } from '../values/group.js';
import { isObject, objectAt, objectsIn } from '../values/plain-object.js';
import type { RequestContext } from './context.js';
import type { AppDeps } from './deps.js';
import { PARSED_METHODS, QUERY_STRING } from './middleware/body.js';

type Parts = Pick<AppDeps, 'media' | 'config'>;

export const isMultipart = (ctx: RequestContext): boolean => Boolean(ctx.is('multipart/form-data'));

/**
 * Reads the request's form, and its files into `folder`. Large files may arrive slowly, so receiving them does
 * not count towards the request's time limit.
 */
export async function receiveMultipart(
  ctx: RequestContext,
  { media, config }: Parts,
  folder: string,
): Promise<Multipart> {
  const { clock } = ctx.exchange.budget;
  clock.stop();
  const limits = {
    sizeLimit: media.settings.sizeLimit,
    maxFileSize: config.middlewares.body.maxFileSize,
  };
  const received = await readMultipart(ctx.req, limits, folder);
  clock.start();
  return received;
}
/** A file of a form as Strapi's parser (formidable) describes it. */
interface FormFile {
  readonly size: number;
  readonly filepath: string;
  readonly newFilename: string;
  readonly originalFilename: string;
  readonly mimetype: string;
}

const formFile = async ({ path, name, mime }: ReceivedFile): Promise<FormFile> => ({
  size: (await stat(path)).size,
  filepath: path,
  newFilename: basename(path),
  originalFilename: name,
  mimetype: mime,
});

/** The files by the names of their fields; several of one name are a list. */
async function filesByField(files: readonly ReceivedFile[]): Promise<Record<string, FormFile | FormFile[]>> {
  const lists = new Map<string, FormFile[]>();
  for (const file of files) addTo(lists, file.field, await formFile(file));
  return Object.fromEntries(
    [...lists].map(([field, list]) => [field, list.length === 1 && list[0] ? list[0] : list]),
  );
}

/**
 * The form that was read for the project's code, as that has left it, for a built-in controller that it calls; null
 * if none was read.
 */
export function receivedForm({ request }: RequestContext): Multipart | null {
  const { files: given, body }: { files?: unknown; body?: unknown } = request;
  if (!isObject(given)) return null;
  const files = Object.entries(given).flatMap(([field, value]) =>
    objectsIn([value].flat()).map(({ filepath, originalFilename, mimetype }) => ({
      field,
      path: String(filepath),
      name: String(originalFilename),
      mime: String(mimetype),
    })),
  );
  const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
  const fields = Object.entries(objectAt(body)).map(
    ([name, value]) => [name, [value].flat().map(text)] as const,
  );
  return { files, fields: new Map(fields) };
}

/** The fields as an object: `a[b]` is a path, several values of one name are a list. */
const fieldsAsBody = (fields: Multipart['fields']): object =>
  qs.parse(
    [...fields].map(([name, values]) => qs.stringify({ [name]: values }, { indices: false })).join('&'),
    QUERY_STRING,
  );

/**
 * Runs code with the form of a request in `ctx.request.body` and `ctx.request.files`, as Strapi's code expects
 * it; a request without a form is left as it is. The files are removed when the code has run, or when the request
 * ends without it: the client has left, or the time is over.
 */
export async function withForm(ctx: RequestContext, deps: Parts, run: () => Promise<void>): Promise<void> {
  if (!PARSED_METHODS.has(ctx.method) || !isMultipart(ctx)) return run();
  await withScratch(async (folder) => {
    const { fields, files } = await receiveMultipart(ctx, deps, folder);
    Object.assign(ctx.request, { body: fieldsAsBody(fields), files: await filesByField(files) });
    const { signal } = ctx.exchange.budget;
    signal.addEventListener('abort', () => void rm(folder, { recursive: true, force: true }), { once: true });
    await run();
  });
}
