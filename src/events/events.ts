/**
 * Everything that Mangrove reports about itself. The log, the metrics, the warnings of a start or of
 * `mangrove check` and the findings of `mangrove doctor` are all made from this table.
 */
import { FOUND } from './findings.js';
import { type EventRow, event, type LogLevel } from './row.js';

export type { LogLevel as Level } from './row.js';

/**
 * Methods that may be metric labels; all others count as `other`, so that clients cannot create new series.
 */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const [trace, debug, info] = [event('trace'), event('debug'), event('info')];
const [warn, error] = [event('warn'), event('error')];

const ROWS = {
  'server-listening': info('port', 'url').says('listening').when('the server accepts requests'),
  'server-stopped': info().says('stopped').when('everything is closed after SIGTERM, SIGINT or `close`'),
  'worker-ended': warn('worker', 'reason')
    .says(({ worker, reason }) => `worker ${worker} exited (${reason}) and is restarted`)
    .when('one of several processes that serve one port exited unexpectedly'),
  'worker-given-up': error('worker')
    .says(({ worker }) => `worker ${worker} keeps exiting, so the server stops`)
    .when('a worker exited five times in a row, each time within ten seconds of its start'),
  'worker-not-replaced': error('worker', 'err')
    .says(({ worker }) => `worker ${worker} could not be replaced; the previous one stays`)
    .when(
      'after SIGHUP, a new process could not serve, for example because of an error in the configuration',
    ),
  'workers-restarted': info()
    .says('all workers were replaced')
    .when('after SIGHUP, every process has been replaced by a new one'),
  'stop-failed': error('err')
    .says('the server could not be stopped cleanly')
    .when('closing failed; the process exits with 1'),
  'request-received': trace('id', 'method', 'path').says('received').when('a request arrives'),
  'request-answered': info('id', 'method', 'path', 'status', 'ms', 'as')
    .says('request')
    .when(
      'a request has been answered; the level is `warn` for status 429 and `error` from 500. 499: the client disconnected. Not logged for `/_health` and `/_ready`. The query is omitted, since it may contain addresses and one-time codes',
      {
        levelOf: ({ path, status }) =>
          path.startsWith('/_') ? null : status >= 500 ? 'error' : status === 429 ? 'warn' : 'info',
        histogram: {
          name: 'mangrove_request_duration_seconds',
          help: 'Duration of a request.',
          labelNames: ['method', 'status'],
          labels: ({ method, status }) => ({ method: METHODS.has(method) ? method : 'other', status }),
        },
      },
    ),
  'request-failed': error('id', 'err')
    .says('failed')
    .when('a request failed because of a bug and was answered with 500'),
  'connection-lost': debug('err')
    .says('connection lost')
    .when('the client disconnected while a response was being sent'),
  'database-unavailable': warn('id', 'err')
    .says('the database is not available')
    .when('a request was answered with 503 because of it'),
  'change-stream-reopened': warn('err')
    .says('a change stream ended and is being reopened')
    .when('the change stream of an adopted collection was interrupted'),
  'indexes-building': info('indexes', 'collection', 'entries')
    .says(
      ({ indexes, collection, entries }) =>
        `building ${indexes.join(', ')} on the ${entries} entries of ${collection}`,
    )
    .when('a start builds indexes on a large collection, which takes a while'),
  'email-not-sent': info('to', 'subject', 'text')
    .says('no mail server is configured; this email was not sent')
    .when(
      'an email was requested and `email.config.providerOptions` is not set. `text` may contain a code and is not logged in production',
      { confidential: ['text'] },
    ),
  'images-not-resized': warn()
    .says('sharp is not installed: images are stored without smaller formats')
    .when('the first image is uploaded and the optional package `sharp` is not installed'),
  'job-failed': error('job', 'err')
    .says(({ job }) => `the job ${job} failed`)
    .when('a job of the project threw an error; it runs again when next due'),
  'job-not-recorded': warn('job', 'err')
    .says(({ job }) => `the outcome of the job ${job} could not be recorded`)
    .when('the database did not accept the outcome of a run; another process may repeat it'),
  'jobs-not-read': warn('err')
    .says('the jobs that are due could not be read; trying again')
    .when('the scheduler could not read from the database'),
  'schedule-carried-out': debug('action', 'uid', 'documentId', 'ms')
    .says(({ action, uid, documentId, ms }) => `scheduled ${action} of ${uid} ${documentId}, after ${ms} ms`)
    .when('something scheduled was carried out; `ms` is the time since it was due', {
      histogram: {
        name: 'mangrove_scheduled_lag_seconds',
        help: 'Time from when something scheduled was due to when it was carried out.',
        labelNames: ['action'],
      },
    }),
  'schedule-failed': error('action', 'uid', 'documentId', 'err')
    .says(({ action, uid, documentId }) => `scheduled ${action} of ${uid} ${documentId} failed`)
    .when(
      'something scheduled was refused when it was due, for example because a draft is not complete; it is kept with its error and not tried again',
    ),
  'schedule-without-effect': info('action', 'uid', 'documentId')
    .says(
      ({ action, uid, documentId }) =>
        `scheduled ${action} of ${uid} ${documentId}: there is nothing to ${action}`,
    )
    .when('something scheduled was due for a document that has been deleted, or is not published'),
  'scheduled-interrupted': warn('err')
    .says('scheduled actions were interrupted; trying again')
    .when('what is due could not be read or carried out, for example because the database is not available'),
  'webhook-attempted': warn('endpoint', 'event', 'status', 'ms', 'reason')
    .says(({ endpoint, event, status, reason }) =>
      status === 0 ? `webhook ${endpoint}: ${event}: ${reason}` : `webhook ${endpoint}: ${event}: ${status}`,
    )
    .when(
      'a delivery of a webhook was attempted; `debug` if the receiver answered 2xx, and status 0 if it did not answer',
      {
        levelOf: ({ status }) => (status >= 200 && status < 300 ? 'debug' : 'warn'),
        histogram: {
          name: 'mangrove_webhook_attempt_seconds',
          help: 'Duration of an attempt to deliver a webhook.',
          labelNames: ['endpoint', 'status'],
        },
      },
    ),
  'webhook-delivered': trace('endpoint', 'ms')
    .says(({ endpoint, ms }) => `webhook ${endpoint}: delivered after ${ms} ms`)
    .when('a webhook was delivered; `ms` is the time since the change', {
      histogram: {
        name: 'mangrove_webhook_lag_seconds',
        help: 'Time from a change to its delivery by a webhook.',
        labelNames: ['endpoint'],
      },
    }),
  'webhook-disabled': warn('endpoint')
    .says(({ endpoint }) => `webhook ${endpoint} is disabled: the receiver answered 410 Gone`)
    .when('an endpoint of webhooks wants no more deliveries; `mangrove webhook enable` takes that back'),
  'webhook-given-up': error('endpoint', 'delivery')
    .says(({ endpoint, delivery }) => `webhook ${endpoint}: ${delivery} could not be delivered within a day`)
    .when('a delivery has failed for a day; `mangrove webhook deliveries --state failed` lists it'),
  'webhooks-behind': error()
    .says('changes have been deleted before webhooks could deliver them; they go on from now')
    .when('no server ran for longer than changes are kept (`changes.days`, `changes.maxBytes`)'),
  'webhooks-interrupted': warn('err')
    .says('webhooks were interrupted; trying again')
    .when('deliveries could not be read or noted, for example because the database is not available'),
  'stream-opened': debug('uid')
    .says(({ uid }) => `a stream of ${uid} was opened`)
    .when('a client has begun to follow a live list'),
  'stream-closed': debug('uid', 'ms')
    .says(({ uid }) => `a stream of ${uid} was closed`)
    .when('it has ended, whoever ended it; `ms` is how long it was open'),
  'live-evaluated': trace('uid', 'ms', 'count')
    .says(({ uid, ms, count }) => `a live list of ${uid} was read in ${ms} ms for ${count} streams`)
    .when('a live list was read, once for all streams that show the same', {
      histogram: {
        name: 'mangrove_live_evaluation_seconds',
        help: 'Duration of a read of a live list.',
        labelNames: ['uid'],
      },
    }),
  'live-told': trace('uid', 'ms')
    .says(({ uid, ms }) => `the streams of a live list of ${uid} were told after ${ms} ms`)
    .when('streams were told of a change, if it is one for them; `ms` is the time since the change', {
      histogram: {
        name: 'mangrove_live_lag_seconds',
        help: 'Time from a change to the streams of live lists.',
        labelNames: ['uid'],
      },
    }),
  'live-interrupted': warn('err')
    .says('a live list could not be read; trying again')
    .when(
      'a live list or the log of changes could not be read, for example because the database is not available',
    ),
  'accounts-alike': warn('attributes')
    .says(
      ({ attributes }) =>
        `accounts have the same ${attributes.join(' and the same ')}, so several servers could store more of them at once; mangrove doctor lists them`,
    )
    .when('a server starts with accounts whose names or addresses are equal and should not be'),
  'setting-unknown': warn('file', 'key')
    .says(({ file, key }) => `${file}: unknown key ${key}`)
    .when('a file in `config/` has a key that nothing reads'),
  'setting-not-called': warn('file', 'key', 'instead')
    .says(
      ({ file, key, instead }) =>
        `${[file, key].filter((part) => part !== '').join(' › ')}: functions are not called; ${instead}`,
    )
    .when('a setting is a function'),
  'setting-part-ignored': warn('file', 'key', 'part')
    .says(({ file, key, part }) => `${file} › ${key}: ${part} has no effect`)
    .when('a list of a setting contains what cannot apply, such as a regular expression among origins'),
  'config-file-unread': warn('file', 'guess')
    .says(({ file, guess }) => `${file}: nothing reads this file${guess}`)
    .when('a file of `config/` has almost the name of one that is read'),
  'package-missing': warn('file', 'package')
    .says(({ file, package: name }) => `${file}: "${name}" is not installed; values from it count as not set`)
    .when('a config file imports a package that is not installed'),
  'middleware-without-effect': warn('file', 'middleware', 'known')
    .says(
      ({ file, middleware, known }) =>
        `${file}: "${middleware}" has no effect; the available middlewares are ${known.join(', ')}`,
    )
    .when('`config/middlewares` names a middleware that Mangrove does not have'),
  'plugin-missing': warn('file', 'plugin', 'meaning')
    .says(({ file, plugin, meaning }) => `${file}: Mangrove does not have the plugin "${plugin}"; ${meaning}`)
    .when('`config/plugins` names a plugin that Mangrove does not have'),
  'plugin-always-on': warn('file', 'plugin')
    .says(
      ({ file, plugin }) => `${file}: the plugin "${plugin}" cannot be disabled; its routes require a grant`,
    )
    .when('`config/plugins` disables a plugin that is built in'),
  'upload-provider-missing': warn('file', 'provider')
    .says(
      ({ file, provider }) =>
        `${file}: Mangrove does not have the upload provider "${provider}"; new files are stored by "local" under public/uploads, and existing files keep their url`,
    )
    .when('`config/plugins` names an upload provider that Mangrove does not have'),
  'email-provider-missing': warn('file', 'provider')
    .says(
      ({ file, provider }) =>
        `${file}: Mangrove does not have the email provider "${provider}"; emails are written to the log until "nodemailer" is configured`,
    )
    .when('`config/plugins` names an email provider that Mangrove does not have'),
  'secret-short': warn('variable', 'characters', 'advised')
    .says(
      ({ variable, characters, advised }) =>
        `${variable} has ${characters} characters; ${advised} or more are recommended`,
    )
    .when('a secret is shorter than HS256 requires'),
  'type-left-out': warn('file', 'uid')
    .says(({ file, uid }) => `${file}: left out, as Mangrove does not have the type ${uid}`)
    .when('`src/extensions` extends a type of a plugin that Mangrove does not have'),
  'custom-field-unknown': warn('file', 'attribute', 'uid')
    .says(
      ({ file, attribute, uid }) =>
        `${file} › attributes.${attribute}: the type of the custom field ${uid} is unknown, so it is stored as JSON; set its type in config/api: customFields: { "${uid}": "string" }`,
    )
    .when('the type of a custom field is known only to a plugin'),
  'schema-adjusted': warn('file', 'path', 'reason', 'does')
    .says(
      ({ file, path, reason, does }) =>
        `${file}${path === '' ? '' : ` › ${path}`}: expected ${reason}; ${does}`,
    )
    .when('a schema file is wrong in a way that Strapi accepts, and is used with a change'),
  'type-name-refused': warn('file', 'uid')
    .says(({ file, uid }) => `${file}: Strapi's content-type builder does not allow the name "${uid}"`)
    .when(
      "a content type has a name that Strapi's content-type builder does not allow, although its server does",
    ),
  'attribute-name-refused': warn('file', 'attribute')
    .says(
      ({ file, attribute }) =>
        `${file} › attributes.${attribute}: Strapi's content-type builder does not allow this name`,
    )
    .when('the same, for an attribute'),
  'schema-key-unknown': warn('file', 'key', 'option', 'guess')
    .says(
      ({ file, key, option, guess }) =>
        `${file}${key === '' ? '' : ` › ${key}`}: "${option}" is not a key of ${key === '' ? 'a schema' : key}${guess}`,
    )
    .when('a schema file has an unknown key'),
  'attribute-option-unknown': warn('file', 'attribute', 'option', 'type', 'guess')
    .says(
      ({ file, attribute, option, type, guess }) =>
        `${file} › attributes.${attribute}: "${option}" is not an option of type ${type}${guess}`,
    )
    .when('an attribute has an option that its type does not have'),
  'attribute-not-unique': warn('file', 'attribute', 'type')
    .says(
      ({ file, attribute, type }) =>
        `${file} › attributes.${attribute}: values of type ${type} may be equal, whatever "unique" says`,
    )
    .when('an attribute is `unique` whose type Strapi never checks for it'),
  'action-unknown': warn('role', 'action', 'guess')
    .says(
      ({ role, action, guess }) => `config/roles › ${role}: no route requires the action ${action}${guess}`,
    )
    .when('`config/roles` grants an action that no route requires'),
  'cache-rule-unused': warn('key', 'reason')
    .says(({ key, reason }) => `rest.cacheControl › ${key}: ${reason}`)
    .when('`rest.cacheControl` names an action that reads no content, or a role that does not exist'),
  'code-unreadable': warn('file', 'reason')
    .says(({ reason }) => `${reason}; what needs it is closed`)
    .when(
      "a file of a Strapi project's code cannot be loaded, for example because a package is not installed",
    ),
  'extension-left-out': warn('file', 'uid')
    .says(({ file, uid }) => `${file} is not run, as Mangrove does not have ${uid}`)
    .when('`src/extensions` has code for a plugin that Mangrove does not have'),
  'admin-routes-left-out': warn('plugin', 'count')
    .says(({ plugin, count }) => `${count} admin routes of ${plugin} are not served`)
    .when('a plugin of the project has routes for the admin panel'),
  'lifecycles-partly-run': warn('uid')
    .says(({ uid }) => `lifecycles of ${uid} do not run when its routes write it`)
    .when("a Strapi project's code subscribes to lifecycles of roles"),
  'code-not-compiled': warn('files')
    .says(
      ({ files }) =>
        `not part of the project, since its tsconfig.json does not set allowJs: ${files.join(', ')}`,
    )
    .when("a Strapi project in TypeScript has JavaScript files that Strapi's compiler leaves out"),
  'code-ignored': warn('file', 'reason')
    .says(({ reason }) => `${reason}; ignored because code.ignore names it`)
    .when('`code.ignore` names code that would have stopped the start'),
  'route-unsupported': warn('route', 'reason')
    .says(({ route, reason }) => `${route} answers 501 from now on: ${reason}`)
    .when("a route's code used a part of Strapi that Mangrove does not have"),
  'route-closed': warn('route', 'reason')
    .says(({ route, reason }) => `${route} is closed (403): ${reason}`)
    .when('a route of a Strapi project names something that does not exist or could not be loaded'),
  'listener-failed': error('event', 'err')
    .says(({ event }) => `a listener of ${event} failed`)
    .when("a listener of a Strapi project's `strapi.eventHub` threw an error"),
  'write-not-undone': error('uid', 'err')
    .says(({ uid }) => `a lifecycle of ${uid} failed, and what the call had written could not be taken back`)
    .when(
      'a lifecycle of a Strapi project threw an error after the write, for example when others had changed the entry since',
    ),
  'code-failed-late': error('err')
    .says('code of the project failed when nothing waited for it')
    .when(
      "a Strapi project's code threw an error in a timer, or in a promise that it does not await; the server goes on",
    ),
  'code-timed-out': warn('route', 'part')
    .says(({ route, part }) => `${route} has taken too long: ${part} has not ended`)
    .when(
      "the time of a request (`server.requestMs`) is over while a part of a Strapi project's code runs, such as a policy or a lifecycle; the one that began last",
    ),
  'code-not-run': warn('file', 'kind')
    .says(({ file, kind }) => `${file} (${kind}) is not run`)
    .when('a Strapi project has code and `code.run` is false'),
  'routes-closed': warn('routes', 'reason')
    .says(({ routes, reason }) => `closed (403): ${routes.join(', ')}, because ${reason}`)
    .when('routes stay closed because `code.run` is false'),
  'routes-can-be-opened': warn('names')
    .says(
      ({ names }) =>
        `to serve closed routes without that code, use --ignore-code, or --ignore-code with some of: ${names.join(' ')}; to make it permanent, set code.ignore in config/api`,
    )
    .when('routes are closed because `code.run` is false'),
  ...FOUND,
};

export type EventName = keyof typeof ROWS;

type FieldsOf<N extends EventName> = (typeof ROWS)[N] extends EventRow<infer F> ? F : never;

/** One event with its fields: a union, discriminated by `name`. */
export type AppEvent<N extends EventName = EventName> = {
  [P in N]: { readonly name: P } & FieldsOf<P>;
}[N];

export type RecordEvent = (event: AppEvent) => void;

export const EVENTS: { readonly [N in EventName]: EventRow<FieldsOf<N>> } = ROWS;

/** The row of an event, typed for that event's fields. */
export const rowOf = <N extends EventName>(event: AppEvent<N>): EventRow<AppEvent<N>> => EVENTS[event.name];

/** The message for people. */
export const messageOf = (event: AppEvent): string => rowOf(event).message(event);

/** Null if the event is not logged. */
export const levelOf = (event: AppEvent): LogLevel | null => {
  const { level, levelOf: judge } = rowOf(event);
  return judge ? judge(event) : level;
};

/** An event as `mangrove doctor` reports it. */
export const findingOf = (found: AppEvent): { about: string; text: string; advice: string | null } => {
  const { finding } = rowOf(found);
  if (!finding) return { about: found.name, text: messageOf(found), advice: null };
  return { about: finding.about(found), text: finding.text(found), advice: finding.advice(found) };
};
