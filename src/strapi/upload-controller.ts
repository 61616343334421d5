import { errors } from '../errors.js';
import { parseFileInfo, parseFileInfos } from '../media/file-info.js';
import { checkLinkRight, readLinkTarget } from '../media/link-files.js';
import { paramsQuery } from '../query/query.js';
import { existingType } from '../schema/find.js';
import { FILE_UID } from '../schema/uids.js';
import { isObject, objectAt } from '../values/plain-object.js';
import type { Live } from './live.js';
import { ACTIONS_OF_METHOD, type UploadMethod } from './plugin-uses.js';
import { partsOf } from './request-parts.js';
import { sanitizeOutput } from './sanitize.js';
import { sanitizeQuery } from './sanitize-query.js';
import { type CodeContext, isCallable, type Values } from './types.js';

type Action = (ctx: CodeContext) => Promise<void>;

/** The text fields of a form, for what is read from them. */
export const formFields = (fields: object): ReadonlyMap<string, readonly string[]> =>
  new Map(Object.entries(fields).map(([name, value]) => [name, [String(value)]]));

/** The routes of the upload plugin, on the methods of its service: for extensions that change these. */
export function uploadController(live: () => Live, service: () => Values): Readonly<Record<string, Action>> {
  const fileType = () => existingType(live().schema, FILE_UID);
  const call = async (name: UploadMethod, ...args: unknown[]): Promise<unknown> => {
    const method = service()[name];
    if (!isCallable(method)) throw new TypeError(`the upload service has no method ${name}`);
    return method.apply(service(), args);
  };
  const asked = (ctx: CodeContext): Values => {
    const { identity: caller } = partsOf(ctx);
    const query = paramsQuery(Object(ctx.query), 'rest');
    live().reader.prepare({ type: fileType(), query, caller, target: 'list' });
    return sanitizeQuery(ctx.query, fileType(), { schema: live().schema, caller });
  };
  const shown = (data: unknown, ctx: CodeContext): unknown => {
    if (Array.isArray(data)) return data.map((file: unknown) => shown(file, ctx));
    const { schema, config } = live();
    const { identity: caller } = partsOf(ctx);
    const file = sanitizeOutput(data, fileType(), { schema, caller, componentIds: config.rest.componentIds });
    return isObject(file) ? { ...file, isUrlSigned: false } : file;
  };
  const found = async (ctx: CodeContext, populate?: unknown): Promise<unknown> => {
    const file = await call('findOne', ctx.params['id'], populate);
    if (!file) throw errors.missing('file-not-found', 'file.notFound');
    return file;
  };
  return {
    async find(ctx) {
      ctx.body = shown(await call('findMany', asked(ctx)), ctx);
    },
    async findPage(ctx) {
      const { results, pagination } = objectAt(await call('findAndCountPage', asked(ctx)));
      ctx.body = { data: shown(results, ctx), meta: { pagination } };
    },
    async findOne(ctx) {
      ctx.body = shown(await found(ctx, asked(ctx)['populate']), ctx);
    },
    async destroy(ctx) {
      const file = await found(ctx);
      await call('remove', file);
      ctx.body = shown(file, ctx);
    },
    async upload(ctx) {
      const { id } = objectAt(ctx.query);
      const { identity } = partsOf(ctx);
      const { fileInfo, ...fields } = objectAt(ctx.request.body);
      const { files: given }: Values = { ...objectAt(Object(ctx.request)['files']) };
      const files: readonly unknown[] = given === undefined ? [] : [given].flat();
      // As in the built-in controller: replacing a file removes the old one.
      if (id && !identity.grants.allows(ACTIONS_OF_METHOD.remove[0])) throw errors.forbidden();
      if (id && files.length > 1)
        throw errors.validation('replacement-not-one-file', 'Cannot replace a file with multiple ones');
      if (files.length === 0) {
        if (!id) throw errors.validation('files-empty', 'Files are empty');
        const info = fileInfo === undefined ? {} : parseFileInfo(fileInfo);
        ctx.body = shown(await call('updateFileInfo', id, info), ctx);
        return;
      }
      const infos = parseFileInfos(fileInfo === undefined ? [] : [fileInfo].flat(), files.length);
      if (id) {
        const data = { ...fields, fileInfo: infos[0] ?? {} };
        ctx.body = shown(await call('replace', id, { data, file: files[0] }), ctx);
      } else {
        const target = readLinkTarget(live().schema, formFields(fields));
        if (target) checkLinkRight(target, identity);
        const data = { ...fields, fileInfo: files.length > 1 ? infos : (infos[0] ?? {}) };
        ctx.body = shown(await call('upload', { data, files }), ctx);
        ctx.status = 201;
      }
    },
  };
}
