import type { Config } from '../../config/types.js';
import { routeOf } from '../../schema/find.js';
import type { ContentType } from '../../schema/types.js';
import type { AppMiddleware } from '../context.js';
import type { AppDeps } from '../deps.js';

type Shown = Pick<AppDeps, 'config' | 'schema' | 'access'>;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '');

const DOCS = 'node_modules/mangrove/docs/';

export const showsFirstPage = ({ environment }: Config): boolean => environment !== 'production';

/**
 * `GET /` for someone who has just started a server: what it is, which types it serves to which roles, and
 * what to do next. Not served in production.
 */
export const firstPage =
  ({ config, schema, access }: Shown): AppMiddleware =>
  async (ctx, next) => {
    if (ctx.path !== '/' || ctx.method !== 'GET' || !showsFirstPage(config)) return next();
    const roles = await access.roles.all();
    const readers = ({ uid }: ContentType): string => {
      const names = roles.filter(({ grants }) => grants.allows(`${uid}.find`)).map(({ role }) => role.type);
      return names.length === 0 ? 'nobody but tokens' : names.join(', ');
    };
    const rows = [...schema.contentTypes.values()]
      .filter(({ origin }) => origin === 'api')
      .map((type) => {
        const path = escapeHtml(`${config.rest.prefix}/${routeOf(type)}`);
        return `<tr><td>${escapeHtml(type.displayName)}</td><td><a href="${path}">${path}</a></td><td>${escapeHtml(readers(type))}</td></tr>`;
      });
    ctx.type = 'html';
    ctx.set('Cache-Control', 'no-store');
    ctx.body = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Mangrove</title>
<h1>Mangrove</h1>
<p>This server answers Strapi 5's Content API from MongoDB. This page is not served in production.</p>
<table><thead><tr><th>type</th><th>address</th><th>read by the roles</th></tr></thead>
<tbody>${rows.join('\n')}</tbody></table>
<h2>Next</h2>
<ul>
<li>Every route, on an interactive page: <a href="/docs">/docs</a></li>
<li>A token that can read everything: <code>npx mangrove token create me</code></li>
<li>Open a type to the public: list its actions in <code>config/roles.js</code>; <code>npx mangrove routes list --content</code> shows them</li>
<li>Check for problems: <code>npx mangrove check</code></li>
<li>Documentation: <code>${DOCS}operators.md</code> (queries), <code>${DOCS}project.md</code> (code of your own), <code>${DOCS}migrations.md</code> (changing a schema), <code>${DOCS}deployment.md</code></li>
</ul></html>
`;
  };
