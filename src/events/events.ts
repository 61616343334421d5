/** Everything that Mangrove reports of itself: the log, the metrics, the warnings of a start or of `mangrove check` and the findings of `mangrove doctor` are made from this table. */
import { FOUND } from './findings.js';
import { type EventRow, event, type Level } from './row.js';

export type { Level } from './row.js';

/** Methods are labels: only those that exist, so that no caller makes new series. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const [trace, debug, info] = [event('trace'), event('debug'), event('info')];
const [warn, error] = [event('warn'), event('error')];

const ROWS = {
  'server-listening': info('port', 'url').says('listening').when('the server accepts requests'),
  'server-stopped': info().says('stopped').when('everything is closed after SIGTERM, SIGINT or `close`'),
  'worker-ended': warn('worker', 'reason')
    .says(({ worker, reason }) => `worker ${worker} exited (${reason}) and is restarted`)
    .when('one of several processes that serve one port ended without having been asked to'),
  'worker-given-up': error('worker')
    .says(({ worker }) => `worker ${worker} ended again and again: the server stops`)
    .when('a worker ended five times in a row within ten seconds of its start'),
  'worker-not-replaced': error('worker', 'err')
    .says(({ worker }) => `worker ${worker} could not be replaced; the previous one stays`)
    .when('a new process could not serve after SIGHUP, as after a mistake in the configuration'),
  'workers-restarted': info()
    .says('all workers were replaced')
    .when('SIGHUP has put a new process in the place of each'),
  'stop-failed': error('err')
    .says('the server could not be stopped in order')
    .when('closing failed; the process exits with 1'),
  'request-received': trace('id', 'method', 'path').says('received').when('a request arrives'),
  'request-answered': info('id', 'method', 'path', 'status', 'ms', 'as')
    .says('request')
    .when(
      'a request has been answered; `warn` with status 429, `error` from 500. Not logged for `/_health` and `/_ready`. The query is left out: it may hold addresses and one-time codes',
      {
        levelOf: ({ path, status }) =>
          path.startsWith('/_') ? null : status >= 500 ? 'error' : status === 429 ? 'warn' : 'info',
        histogram: {
          name: 'mangrove_request_duration_seconds',
          help: 'Time to answer a request.',
          labels: ({ method, status }) => ({ method: METHODS.has(method) ? method : 'other', status }),
          value: ({ ms }) => ms / 1000,
        },
      },
    ),
  'request-failed': error('id', 'err').says('failed').when('a request met a bug and was answered with 500'),
  'connection-lost': debug('err')
    .says('connection lost')
    .when('a caller hung up while an answer was being sent'),
  'database-unavailable': warn('id', 'err')
    .says('the database is not available')
    .when('a request was answered with 503 for it'),
  'change-stream-reopened': warn('err')
    .says('a change stream ended and is being reopened')
    .when('the stream of changes to an adopted collection broke off'),
  'indexes-building': info('indexes', 'collection', 'entries')
    .says(
      ({ indexes, collection, entries }) =>
        `building ${indexes.join(', ')} over the ${entries} entries of ${collection}`,
    )
    .when('a start builds indexes over a large collection, which takes a while'),
  'email-not-sent': info('to', 'subject', 'text')
    .says('no mail server is configured; this email was not sent')
    .when(
      'an account asked for an email and `email.config.providerOptions` is not set. `text` may hold a code and is not logged in production',
      { confidential: ['text'] },
    ),
  'images-not-resized': warn()
    .says('sharp is not installed: images are stored without smaller formats')
    .when('the first image is uploaded and the optional package `sharp` is missing'),
  'job-failed': error('job', 'err')
    .says(({ job }) => `the job ${job} failed`)
    .when('a job of the project threw; it runs again when it is next due'),
  'job-not-recorded': warn('job', 'err')
    .says(({ job }) => `the end of the job ${job} could not be recorded`)
    .when('the database did not take the outcome of a run; another process may run it again'),
  'jobs-not-read': warn('err')
    .says('the jobs that are due could not be read; trying again')
    .when('the database did not answer the schedule'),
  'setting-unknown': warn('file', 'key')
    .says(({ file, key }) => `${file}: unknown key ${key}`)
    .when('a file of `config/` has a key that nothing reads'),
  'setting-not-called': warn('file', 'key', 'instead')
    .says(
      ({ file, key, instead }) =>
        `${[file, key].filter((part) => part !== '').join(' › ')}: a function, which is not called; ${instead}`,
    )
    .when('a setting is a function'),
  'config-file-unread': warn('file', 'guess')
    .says(({ file, guess }) => `${file}: nothing reads this file${guess}`)
    .when('`config/` holds a file of an unknown name'),
  'package-missing': warn('file', 'package')
    .says(
      ({ file, package: name }) =>
        `${file}: "${name}" is not installed; what the file takes from it counts as not set`,
    )
    .when('a config file imports a package that is not installed'),
  'middleware-without-effect': warn('file', 'middleware', 'known')
    .says(
      ({ file, middleware, known }) =>
        `${file}: no effect of "${middleware}", which is not one of ${known.join(', ')}`,
    )
    .when('`config/middlewares` names a middleware that Mangrove does not have'),
  'plugin-missing': warn('file', 'plugin', 'meaning')
    .says(({ file, plugin, meaning }) => `${file}: Mangrove does not have the plugin "${plugin}"; ${meaning}`)
    .when('`config/plugins` names a plugin that Mangrove does not have'),
  'plugin-always-on': warn('file', 'plugin')
    .says(
      ({ file, plugin }) =>
        `${file}: the plugin "${plugin}" cannot be switched off here; its routes need a grant`,
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
        `${variable} has ${characters} characters; ${advised} or more are advised`,
    )
    .when('a secret is shorter than HS256 asks for'),
  'type-left-out': warn('file', 'uid')
    .says(({ file, uid }) => `${file}: left out, as Mangrove does not have the type ${uid}`)
    .when('`src/extensions` extends a type of a plugin that Mangrove does not have'),
  'attribute-left-out': warn('file', 'attribute', 'uid')
    .says(
      ({ file, attribute, uid }) =>
        `${file} › attributes.${attribute}: left out, as Mangrove does not have the type ${uid}`,
    )
    .when('a relation leads to a type of a plugin that Mangrove does not have'),
  'custom-field-unknown': warn('file', 'attribute', 'uid')
    .says(
      ({ file, attribute, uid }) =>
        `${file} › attributes.${attribute}: what the custom field ${uid} stores is not known, so it is kept as JSON; name its type in config/api: customFields: { "${uid}": "string" }`,
    )
    .when('only a plugin knows what a custom field stores'),
  'relation-one-way': warn('file', 'attribute', 'uid', 'otherSide')
    .says(
      ({ file, attribute, uid, otherSide }) =>
        `${file} › attributes.${attribute}: ${uid} has no attribute "${otherSide}", so the relation is one-way`,
    )
    .when('`mappedBy` names an attribute that does not exist'),
  'relation-two-owners': warn('file', 'attribute', 'uid', 'otherSide')
    .says(
      ({ file, attribute, uid, otherSide }) =>
        `${file} › attributes.${attribute}: both sides say "inversedBy", so each is a relation of its own; write "mappedBy" at ${uid}'s "${otherSide}" to join them`,
    )
    .when('both sides of a relation claim to own it'),
  'type-name-refused': warn('file', 'uid')
    .says(({ file, uid }) => `${file}: Strapi's editor refuses the name "${uid}"`)
    .when("a content type has a name that Strapi's content-type builder refuses, though its server takes it"),
  'attribute-name-refused': warn('file', 'attribute')
    .says(({ file, attribute }) => `${file} › attributes.${attribute}: Strapi's editor refuses this name`)
    .when('the same, for an attribute'),
  'schema-key-unknown': warn('file', 'key', 'option', 'guess')
    .says(
      ({ file, key, option, guess }) =>
        `${file}${key === '' ? '' : ` › ${key}`}: "${option}" is not a key of ${key === '' ? 'a schema' : key}${guess}`,
    )
    .when('a schema file has a key that means nothing'),
  'attribute-option-unknown': warn('file', 'attribute', 'option', 'type', 'guess')
    .says(
      ({ file, attribute, option, type, guess }) =>
        `${file} › attributes.${attribute}: "${option}" is not an option of type ${type}${guess}`,
    )
    .when('an attribute has an option that its type does not know'),
  'action-unknown': warn('role', 'action', 'guess')
    .says(
      ({ role, action, guess }) => `config/roles › ${role}: no route asks for the action ${action}${guess}`,
    )
    .when('`config/roles` grants an action that opens nothing'),
  'code-unreadable': warn('file', 'reason')
    .says(({ file, reason }) => `${file}: cannot be read (${reason})`)
    .when("a file of a Strapi project's code cannot be parsed"),
  'code-not-run': warn('file', 'kind', 'does')
    .says(({ file, kind, does }) => `${file} (${kind}) is not run: it ${does}`)
    .when('a Strapi project has code of its own, which is read and not run'),
  'routes-closed': warn('routes', 'reason')
    .says(({ routes, reason }) => `closed (403): ${routes.join(', ')}, as ${reason}`)
    .when('routes stay closed because such code decides who may use them'),
  'routes-can-be-opened': warn('names')
    .says(
      ({ names }) =>
        `to serve what is closed without that code: --ignore-code, or --ignore-code with some of: ${names.join(' ')}; code.ignore in config/api keeps it`,
    )
    .when('routes are closed'),
  ...FOUND,
};

export type EventName = keyof typeof ROWS;

type FieldsOf<N extends EventName> = (typeof ROWS)[N] extends EventRow<infer F> ? F : never;

/** One event with its fields: a union, told apart by `name`. */
export type AppEvent<N extends EventName = EventName> = {
  [P in N]: { readonly name: P } & FieldsOf<P>;
}[N];

export type RecordEvent = (event: AppEvent) => void;

export const EVENTS: { readonly [N in EventName]: EventRow<FieldsOf<N>> } = ROWS;

/** The row of an event, as one that takes this event's fields. */
export const rowOf = <N extends EventName>(event: AppEvent<N>): EventRow<AppEvent<N>> => EVENTS[event.name];

/** What a person reads. */
export const messageOf = (event: AppEvent): string => rowOf(event).message(event);

/** Null: not logged. */
export const levelOf = (event: AppEvent): Level | null => {
  const { level, levelOf: judge } = rowOf(event);
  return judge ? judge(event) : level;
};

/** What `mangrove doctor` says of an event. */
export const findingOf = (found: AppEvent): { about: string; text: string; advice: string | null } => {
  const { finding } = rowOf(found);
  if (!finding) return { about: found.name, text: messageOf(found), advice: null };
  return { about: finding.about(found), text: finding.text(found), advice: finding.advice(found) };
};
