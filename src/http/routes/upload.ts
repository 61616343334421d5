import type { Identity } from '../../access/index.js';
import { errors } from '../../errors.js';
import { parseFileInfos } from '../../media/file-info.js';
import { readLinkTarget } from '../../media/link-files.js';
import { type Multipart, type ReceivedFile, readMultipart } from '../../media/read-multipart.js';
import { replaceFile, updateFileInfo } from '../../media/replace-file.js';
import { withScratch } from '../../media/scratch.js';
import { storeFiles } from '../../media/store-files.js';
import type { FileInfo } from '../../media/types.js';
import { contentTypeOf } from '../../schema/find.js';
import { FILE_UID } from '../../schema/uids.js';
import type { Controller, RequestContext, Route } from '../context.js';
import type { AppDeps } from '../deps.js';
import { fileRoutes, numericId, signed, uploadAction } from './files.js';
import { showFields } from './show.js';

/** Names of the form field that holds files. */
const FILES = new Set(['files', 'files[]']);

const isMultipart = (ctx: RequestContext): boolean => Boolean(ctx.is('multipart/form-data'));

/** `?id=5`: the request is about that file; an empty id is none. */
const replaces = (ctx: RequestContext): boolean => Boolean(ctx.state.query.params['id']);

/** What a request without files says: `fileInfo` of a JSON or form body. */
const plainInfos = (ctx: RequestContext): FileInfo[] => {
  const body: unknown = ctx.request.body;
  const info = typeof body === 'object' && body !== null && 'fileInfo' in body ? body.fileInfo : undefined;
  return info === undefined ? [] : parseFileInfos([info]);
};

/** Files over REST (rules I.1): `POST /upload`, and what `fileRoutes` has. */
export const uploadRoutes = (deps: AppDeps): readonly Route[] => {
  const { config, documents, media, schema } = deps;
  const type = contentTypeOf(schema, FILE_UID);
  if (!type) return [];
  const limits = { sizeLimit: media.settings.sizeLimit, maxFileSize: config.middlewares.body.maxFileSize };

  /** What replaces a file removes what was there: that takes the right to. */
  const checkReplace = ({ grants }: Identity): void => {
    if (!grants.allows(uploadAction('destroy'))) throw errors.forbidden();
  };

  const replace = async (ctx: RequestContext, file: ReceivedFile | undefined, info: FileInfo = {}) => {
    const row = await media.rows.find(numericId(ctx.state.query.params['id']));
    if (!row) throw errors.missing('upload-target-not-found', 'Entity not found');
    const changed = file
      ? await replaceFile(media, row, { ...file, fileInfo: info, signal: ctx.state.budget.signal })
      : await updateFileInfo(media, row, info);
    ctx.body = signed(showFields(type, changed));
  };

  const receive = async (ctx: RequestContext, identity: Identity, { files, fields }: Multipart) => {
    const own = files.filter(({ field }) => FILES.has(field));
    const infos = parseFileInfos(fields.get('fileInfo') ?? []);
    if (replaces(ctx)) {
      if (own.length > 1)
        throw errors.application('replacement-not-one-file', 'Cannot replace a file with multiple ones');
      return replace(ctx, own[0], infos[0]);
    }
    if (own.length === 0) throw errors.validation('files-empty', 'Files are empty');
    const target = readLinkTarget(schema, fields);
    const allows = (action: string): boolean => identity.grants.allows(action);
    const rows = await storeFiles(own, { media, documents, infos, target, allows, budget: ctx.state.budget });
    ctx.body = rows.map((row) => signed(showFields(type, row)));
    ctx.status = 201;
  };

  /** Large files come over slow lines: the time of the request is that of the work on them. */
  const multipartOf = async (ctx: RequestContext, folder: string): Promise<Multipart> => {
    const { clock } = ctx.state.budget;
    clock.stop();
    const received = await readMultipart(ctx.req, limits, folder);
    clock.start();
    return received;
  };

  const upload: Controller = async (ctx, identity) => {
    if (replaces(ctx)) checkReplace(identity);
    if (isMultipart(ctx))
      return withScratch(async (folder) => receive(ctx, identity, await multipartOf(ctx, folder)));
    if (!replaces(ctx)) throw errors.validation('files-empty', 'Files are empty');
    return replace(ctx, undefined, plainInfos(ctx)[0]);
  };

  return [
    { method: 'post', path: '/upload', action: uploadAction('upload'), controller: upload },
    ...fileRoutes(deps),
  ];
};
